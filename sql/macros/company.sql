-- Macros that parse lists in company fields.

-- Splits `A, B,C` into a list.
CREATE OR REPLACE TEMP MACRO comma_texts(t) AS
  list_filter(list_transform(string_split(t, ','), lambda x: trim(x)), lambda x: x <> '');

-- Splits a text into phone numbers or e-mail addresses, if every part certainly is one. Otherwise returns the whole
-- text as one entry.
CREATE OR REPLACE TEMP MACRO phone_texts(t) AS
  CASE
    WHEN regexp_full_match(t, '\s*\+?[0-9][0-9 ()./-]{4,}(\s*[,;|\n]\s*\+?[0-9(][0-9 ()./-]{4,})*')
    THEN list_transform(regexp_split_to_array(t, '[,;|\n]'), lambda x: trim(x))
    WHEN t IS NOT NULL THEN [t]
  END;
CREATE OR REPLACE TEMP MACRO email_texts(t) AS
  CASE
    WHEN regexp_full_match(t, '[^@\s,;|]+@[^@\s,;|]+([\s,;|]+[^@\s,;|]+@[^@\s,;|]+)*') THEN regexp_split_to_array(t, '[\s,;|]+')
    WHEN t IS NOT NULL THEN [t]
  END;

-- Returns a text for comparisons: without case, spaces, and the zeros that a number loses. `00 12` and `12.0` both give
-- `12`.
CREATE OR REPLACE TEMP MACRO loose_text(t) AS
  regexp_replace(regexp_replace(lower(t), '[\s\x{00a0}]+', '', 'g'), '^0*([0-9]+?)(\.0+)?$', '\1');

-- Applies loose_text to the entries of a list and sorts them. NULL for a list without entries.
CREATE OR REPLACE TEMP MACRO loose_texts(l) AS
  CASE WHEN len(l) > 0 THEN list_sort(list_distinct(list_transform(l, lambda x: loose_text(x)))) END;
