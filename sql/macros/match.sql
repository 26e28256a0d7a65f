-- Macros that compare a question of `tidemark resolve` (the normalized content of a row of the list) with the companies
-- in the API's answers. The crawl worker uses the same macros to decide whether it must send another request
-- (src/crawl/streams/matches/score-candidates.ts).
--
-- The functions identifier_same and identifier_fault compare identifiers (src/warehouse/duckdb/functions.ts). Their
-- rules come from these versions of packages. A new version changes this file, so the next run computes all matches
-- again: libphonenumber-js 1.13.16, social-link-parser 0.6.1, stdnum 1.12.0, tldts 7.5.5.

-- Normalizes a name: lower case, no accents, no punctuation, single spaces.
CREATE OR REPLACE TEMP MACRO match_fold(t) AS
  trim(regexp_replace(
    regexp_replace(
      replace(replace(replace(replace(replace(replace(
        strip_accents(lower(t)), 'ø', 'o'), 'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'), 'ł', 'l'), '&', ' and '),
      '[.''’`"/]', '', 'g'
    ),
    '[^\p{L}\p{N}]+', ' ', 'g'
  ));

-- Removes legal forms from a name that match_fold has normalized. A name that consists only of legal forms stays
-- unchanged.
CREATE OR REPLACE TEMP MACRO match_bare(folded) AS
  coalesce(
    nullif(array_to_string(list_filter(
      string_split(
        trim(regexp_replace(folded, '(^| )(gmbh and co kg|s de rl de cv|sa de cv|sp z oo|a rl)( |$)', ' ', 'g')), ' '
      ),
      lambda word: word NOT IN (
        'ltd', 'limited', 'plc', 'llp', 'llc', 'lp', 'inc', 'incorporated', 'corp', 'corporation', 'co', 'company', 'dac',
        'clg', 'ulc', 'pte', 'pty', 'gmbh', 'mbh', 'ag', 'kg', 'kgaa', 'ohg', 'ug', 'haftungsbeschrankt', 'se', 'sarl', 'sas',
        'sasu', 'sa', 'eurl', 'snc', 'scs', 'sca', 'bv', 'nv', 'vof', 'cv', 'bvba', 'srl', 'spa', 'aps', 'as', 'is', 'ivs',
        'amba', 'ab', 'hb', 'kb', 'asa', 'ans', 'da', 'ehf', 'hf', 'oy', 'oyj', 'ky', 'sl', 'slu', 'sro', 'spk', 'zoo', 'kft',
        'zrt', 'nyrt', 'doo', 'dd', 'ood', 'eood', 'ad', 'uab', 'sia', 'ou', 'ooo', 'oao', 'zao', 'αε', 'επε', 'οε', 'тов',
        'прат', 'пп', '株式会社', '合同会社', '有限会社', '주식회사', '유한회사', 'בעמ', 'ذمم', 'fze', 'sdn', 'bhd', 'kk'
      )
    ), ' '), ''),
    folded
  );

-- Returns the letters and digits of a postal code, in capitals and without leading zeros.
CREATE OR REPLACE TEMP MACRO match_code(t) AS
  nullif(ltrim(upper(regexp_replace(t, '[^\p{L}\p{N}]', '', 'g')), '0'), '');

-- Returns what is wrong with the numbers of a question, such as 'the check digit of the LEI is wrong'; '' if nothing is
-- known.
CREATE OR REPLACE TEMP MACRO match_faults(q) AS
  concat_ws(', ',
    identifier_fault(
      'registration', json_text(json_extract(q, '$.registration_number')), json_text(json_extract(q, '$.country_code'))
    ),
    identifier_fault('vat', json_text(json_extract(q, '$.vat_number')), json_text(json_extract(q, '$.country_code'))),
    identifier_fault('lei', json_text(json_extract(q, '$.lei_number')), NULL)
  );

-- Returns the kind of lookup that a request made, such as `website` or `name`. The lookup by website may also look up the
-- domain of an e-mail address. Then the kind is `email`.
CREATE OR REPLACE TEMP MACRO match_kind(question, request_key) AS
  CASE
    WHEN starts_with(request_key, 'POST /v2/enrichment/url ') THEN
      CASE
        WHEN json_exists(TRY_CAST(question AS JSON), '$.email')
          AND NOT coalesce(identifier_same(
            'website', json_text(json_extract(TRY_CAST(question AS JSON), '$.website')), NULL,
            regexp_extract(request_key, '"url":"([^"]*)"', 1), NULL
          ), false)
        THEN 'email'
        ELSE 'website'
      END
    WHEN starts_with(request_key, 'POST /v2/enrichment/company/pronet ') OR contains(request_key, '"pronet":') THEN 'profile'
    WHEN contains(request_key, '"lei_number":') THEN 'lei'
    WHEN contains(request_key, '"phone_number":') THEN 'phone'
    WHEN contains(request_key, '"person":') THEN 'person'
    WHEN contains(request_key, '"email":') THEN 'email'
    WHEN contains(request_key, '"name":') THEN 'name'
    ELSE 'registration'
  END;

-- Returns every company that answers a question, with its score. Uses the answers of the latest run that sent the
-- question. `answers` is the name of a table like ledger.match_answers.
CREATE OR REPLACE TEMP MACRO match_candidates(answers) AS TABLE (
  WITH latest AS (
    SELECT question, arg_max(run, (observed_at, run)) AS run FROM query_table(answers) GROUP BY question
  ),
  searches AS (
    SELECT
      a.*,
      json_has_items(json_extract(doc, '$.data')) AS is_search,
      -- Requests for the pages of one search differ only in the page number.
      regexp_replace(request_key, ',?"page":[0-9]+', '') AS search
    FROM query_table(answers) AS a
    SEMI JOIN latest AS l ON l.question = a.question AND l.run = a.run
    WHERE doc IS NOT NULL
  ),
  items AS (
    SELECT question, search, kind, is_search, observed_at, body_hash,
      coalesce(
        TRY_CAST(json_text(json_extract(doc, '$.total_results')) AS BIGINT),
        TRY_CAST(json_text(json_extract(doc, '$.total_companies')) AS BIGINT)
      ) AS total,
      unnest(CASE WHEN is_search THEN json_items(json_extract(doc, '$.data')) ELSE [doc] END) AS item
    FROM searches
  ),
  found AS (
    SELECT *, json_id(json_extract(item, '$.id')) AS company_id FROM items WHERE json_type(item) = 'OBJECT'
  ),
  unread AS (
    SELECT question, search, greatest(max(total) - count(DISTINCT company_id), 0) AS unread FROM found GROUP BY ALL
  ),
  companies AS (
    SELECT
      question,
      company_id,
      arg_max(item, (NOT is_search, observed_at, body_hash)) AS payload,
      list_distinct(list(kind)) AS kinds,
      -- The most reliable kind of request that found the company.
      arg_min(kind, list_position(
        ['registration', 'lei', 'website', 'profile', 'email', 'phone', 'name', 'person'], kind
      )) AS kind,
      max(coalesce(unread, 0)) AS unread
    FROM found
    JOIN unread USING (question, search)
    WHERE company_id IS NOT NULL
    GROUP BY question, company_id
  ),
  read AS (
    SELECT
      *,
      CAST(question AS JSON) AS q,
      json_text(json_extract(payload, '$.name')) AS name,
      upper(json_text(json_extract(payload, '$.country_code'))) AS country_code,
      json_text(json_extract(payload, '$.registration_number')) AS registration_number
    FROM companies
  ),
  folded AS (
    SELECT
      *,
      match_fold(json_text(json_extract(q, '$.name'))) AS q_name,
      match_fold(name) AS c_name,
      json_text(json_extract(q, '$.registration_number')) AS q_registration,
      json_text(json_extract(q, '$.vat_number')) AS q_vat,
      json_text(json_extract(payload, '$.vat_number')) AS c_vat,
      json_text(json_extract(q, '$.website')) AS q_website,
      json_text(json_extract(payload, '$.company_website')) AS c_website,
      json_text(json_extract(q, '$.email')) AS q_mail,
      list_append(coalesce(json_texts(json_extract(payload, '$.company_email')), []), c_website) AS c_mails,
      json_text(json_extract(q, '$.profile')) AS q_profile,
      json_text(json_extract(payload, '$.pronet')) AS c_profile,
      json_text(json_extract(q, '$.phone')) AS q_phone,
      coalesce(json_texts(json_extract(payload, '$.company_phone')), []) AS c_phones,
      upper(json_text(json_extract(q, '$.country_code'))) AS q_country,
      match_code(json_text(json_extract(q, '$.postal_code'))) AS q_zip,
      match_code(json_text(json_extract(payload, '$.zip_code'))) AS c_zip
    FROM read
  ),
  identified AS (
    SELECT
      *,
      -- True: the identifiers are the same, however they are spelled. False: they differ. NULL: not known.
      identifier_same('registration', q_registration, q_country, registration_number, country_code) AS same_registration,
      identifier_same('vat', q_vat, q_country, c_vat, country_code) AS same_vat,
      identifier_same('website', q_website, NULL, c_website, NULL) AS same_website,
      identifier_same('profile', q_profile, NULL, c_profile, NULL) AS same_profile,
      list_contains(
        list_transform(c_mails, lambda x: identifier_same('mail_domain', q_mail, NULL, x, NULL)), true
      ) AS same_mail,
      list_contains(kinds, 'phone') OR list_contains(
        list_transform(c_phones, lambda x: identifier_same('phone', q_phone, q_country, x, country_code)), true
      ) AS same_phone
    FROM folded
  ),
  compared AS (
    SELECT
      *,
      CASE
        WHEN q_name = c_name THEN 1.0
        -- Names that differ only in the legal form get 0.96. So a candidate with the equal name wins, but without such a
        -- candidate the question is still matched.
        ELSE 0.96 * jaro_winkler_similarity(match_bare(q_name), match_bare(c_name))
      END AS name_score,
      list_filter([
        CASE WHEN same_registration THEN 'registration number' END,
        CASE WHEN same_vat THEN 'VAT number' END,
        CASE WHEN same_website THEN 'website' END,
        CASE WHEN same_profile THEN 'profile' END,
        CASE WHEN same_mail THEN 'e-mail domain' END
      ], lambda x: x IS NOT NULL) AS same,
      list_filter([
        CASE WHEN NOT same_registration THEN 'registration number' END,
        CASE WHEN NOT same_vat THEN 'VAT number' END
      ], lambda x: x IS NOT NULL) AS other,
      -- The API found the company by this identifier, but its answer does not show that the identifier is the same.
      list_filter([
        CASE WHEN list_contains(kinds, 'lei') THEN 'LEI' END,
        CASE WHEN list_contains(kinds, 'registration') AND json_exists(q, '$.ticker') THEN 'ticker' END,
        CASE WHEN list_contains(kinds, 'registration') AND q_registration IS NOT NULL AND same_registration IS NULL THEN 'registration number' END,
        CASE WHEN list_contains(kinds, 'registration') AND q_vat IS NOT NULL AND same_vat IS NULL AND q_registration IS NULL THEN 'VAT number' END,
        CASE WHEN list_contains(kinds, 'website') AND NOT coalesce(same_website, false) THEN 'website' END,
        CASE WHEN list_contains(kinds, 'profile') AND NOT coalesce(same_profile, false) THEN 'profile' END,
        CASE WHEN list_contains(kinds, 'email') AND NOT coalesce(same_mail, false) THEN 'e-mail domain' END
      ], lambda x: x IS NOT NULL) AS found_by
    FROM identified
  ),
  weighed AS (
    SELECT
      *,
      CASE
        WHEN len(same) >= 2 THEN 0.99
        WHEN len(same) = 1 THEN 0.97
        WHEN len(found_by) >= 1 THEN 0.95
        WHEN same_phone THEN 0.93
      END AS sure
    FROM compared
  )
  SELECT
    question,
    company_id,
    kind,
    name,
    country_code,
    registration_number,
    payload,
    unread,
    sure IS NOT NULL AS is_identified,
    CAST(greatest(0, round(
      CASE
        WHEN sure IS NOT NULL THEN sure * (0.6 + 0.4 * coalesce(name_score, 1))
        -- A person's name and a country alone are weak evidence.
        ELSE coalesce(name_score, 0.8)
      END
      - CASE WHEN q_country <> country_code THEN 0.15 ELSE 0 END
      - CASE WHEN q_zip <> c_zip AND sure IS NULL THEN 0.05 ELSE 0 END
      - len(other) * CASE WHEN sure IS NULL THEN 0.12 ELSE 0.06 END,
      2
    )) AS DOUBLE) AS score,
    concat_ws(', ',
      'name ' || printf('%.2f', name_score),
      nullif(array_to_string(list_transform(same, lambda x: x || ' agrees'), ', '), ''),
      nullif(array_to_string(list_transform(found_by, lambda x: 'found by ' || x), ', '), ''),
      CASE WHEN same_phone THEN 'phone agrees' END,
      CASE WHEN list_contains(kinds, 'person') THEN 'has an employee of that name' END,
      nullif(array_to_string(list_transform(other, lambda x: x || ' differs'), ', '), ''),
      CASE WHEN q_country = country_code THEN 'country agrees' WHEN q_country <> country_code THEN 'country differs' END,
      CASE WHEN q_zip = c_zip THEN 'postal code agrees' WHEN q_zip <> c_zip THEN 'postal code differs' END,
      nullif(match_faults(q), '')
    ) AS explanation
  FROM weighed
);

-- Returns one row per question: its state and its best candidate. `scored` is the name of a table or CTE with the rows
-- of match_candidates(answers).
-- - matched: the score is at least 0.90, and at least 0.03 higher than that of the next candidate.
-- - ambiguous: a person must decide.
-- - unmatched: no candidate has a score of at least 0.70.
CREATE OR REPLACE TEMP MACRO match_results_among(answers, scored) AS TABLE (
  WITH asked AS (
    SELECT question, max(observed_at) AS observed_at FROM query_table(answers) GROUP BY question
  ),
  ranked AS (
    SELECT
      question,
      arg_max(struct_pack(
        company_id := company_id, kind := kind, name := name, country_code := country_code, payload := payload,
        score := score, explanation := explanation, is_identified := is_identified, unread := unread
      ), (score, -company_id)) AS best,
      max(score) AS score,
      list(score ORDER BY score DESC) [2] AS next_score,
      list(
        json_object(
          'company_id', CAST(company_id AS VARCHAR), 'name', name, 'country_code', country_code, 'registration_number', registration_number,
          'kind', kind, 'score', score, 'explanation', explanation
        )
        ORDER BY score DESC, company_id
      ) FILTER (score >= 0.5) [1:5] AS candidates
    FROM query_table(scored)
    GROUP BY question
  ),
  judged AS (
    SELECT
      a.question,
      a.observed_at,
      r.best,
      r.candidates,
      CASE
        WHEN coalesce(r.score, 0) < 0.7 THEN 'unmatched'
        WHEN r.score < 0.9 OR r.score - r.next_score < 0.03 OR (r.best.unread > 0 AND NOT r.best.is_identified) THEN 'ambiguous'
        ELSE 'matched'
      END AS state
    FROM asked AS a
    LEFT JOIN ranked AS r ON r.question = a.question
  )
  SELECT
    question,
    observed_at,
    state,
    CASE WHEN state <> 'unmatched' THEN best.company_id END AS best_id,
    CASE WHEN state <> 'unmatched' THEN best.score END AS score,
    CASE WHEN state = 'matched' THEN best.kind END AS kind,
    CASE WHEN state = 'matched' THEN best.name END AS name,
    CASE WHEN state = 'matched' THEN best.country_code END AS country_code,
    CASE WHEN state = 'matched' THEN best.payload END AS payload,
    CASE
      WHEN state = 'unmatched' THEN concat_ws(', ', 'no company found', nullif(match_faults(TRY_CAST(question AS JSON)), ''))
      WHEN state = 'ambiguous' AND best.unread > 0 AND NOT best.is_identified
      THEN best.explanation || ', the search has ' || best.unread || ' more companies'
      ELSE best.explanation
    END AS explanation,
    to_json(coalesce(candidates, [])) AS candidates
  FROM judged
);

-- Returns the same as match_results_among, but computes the candidates itself.
CREATE OR REPLACE TEMP MACRO match_results(answers) AS TABLE (
  WITH all_candidates AS (FROM match_candidates(answers))
  FROM match_results_among(answers, 'all_candidates')
);
