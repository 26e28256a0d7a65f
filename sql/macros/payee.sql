-- Macros that read the answers of payee checks. The reference shows no answer, so the macros read only what is certain.

-- Writes a decision as the reference does: `ok to pay` and `Ok-To-Pay` give `OK_TO_PAY`.
CREATE OR REPLACE TEMP MACRO payee_word(t) AS
  upper(regexp_replace(trim(t), '[\s_-]+', '_', 'g'));

CREATE OR REPLACE TEMP MACRO is_payee_decision(t) AS
  coalesce(payee_word(t) IN ('OK_TO_PAY', 'REVIEW_BEFORE_PAYING', 'DO_NOT_PAY'), false);

-- Whether the account number in a request is masked: so it is unless the check was landed with `personalData: contacts`.
-- A masked number has the character … (src/crawl/streams/payees/mask.ts). NULL without a request.
CREATE OR REPLACE TEMP MACRO payee_is_masked(request) AS
  contains(json_extract_string(request, '$.id'), '…');

-- Returns the id of a check: `id`, `check_id` or `kyp_id` of the answer, or of an object in it, such as `data`. NULL if
-- the id cannot be part of a path.
CREATE OR REPLACE TEMP MACRO payee_check_id(doc) AS
  nullif(nullif(coalesce(
    json_text(json_extract(doc, '$.id')), json_text(json_extract(doc, '$.check_id')), json_text(json_extract(doc, '$.kyp_id')),
    json_text(json_extract(doc, '$.data.id')), json_text(json_extract(doc, '$.data.check_id')),
    json_text(json_extract(doc, '$.result.id')), json_text(json_extract(doc, '$.check.id')), json_text(json_extract(doc, '$.report.id'))
  ), '.'), '..');

-- Returns the distinct words that may be the decision of an answer. These are the values of the fields named
-- `decision` that are nearest to the top level. Without such a field, they are all texts that are one of the three
-- decisions. The decision is certain if there is exactly one word, and it is one of the three.
CREATE OR REPLACE TEMP MACRO payee_words(doc) AS (
  SELECT list_sort(list_distinct(coalesce(max_by(words, -depth), [])))
  FROM (
    SELECT
      CASE WHEN lower(t.key) = 'decision' THEN len(regexp_extract_all(t.fullkey, '[.\[]')) ELSE 1000000 END AS depth,
      list(payee_word(json_text(t.atom))) AS words
    FROM json_tree(doc) AS t
    WHERE t.type = 'VARCHAR'
      AND json_text(t.atom) IS NOT NULL
      AND (lower(t.key) = 'decision' OR is_payee_decision(json_text(t.atom)))
    GROUP BY ALL
  )
);

-- Returns the reject reason for the words that payee_words found. NULL if the decision is certain, or if there is no
-- word.
CREATE OR REPLACE TEMP MACRO payee_words_fault(words) AS
  CASE
    WHEN len(words) > 1 THEN 'ambiguous_decision'
    WHEN len(words) = 1 AND NOT is_payee_decision(words[1]) THEN 'unknown_decision'
  END;
