-- Macros that parse two kinds of text in company fields: lists separated by commas, and ranges of employees.

-- Splits `A, B,C` into a list.
CREATE OR REPLACE TEMP MACRO comma_texts(t) AS
  list_filter(list_transform(string_split(t, ','), lambda x: trim(x)), lambda x: x <> '');

-- Removes spaces, thousands separators and the unit from a number of employees: `1,001 – 5,000 employees` becomes
-- `1001-5000`.
CREATE OR REPLACE TEMP MACRO size_compact(t) AS
  replace(regexp_replace(regexp_replace(lower(t), '[\s,'']', '', 'g'), '(employees?|staff)$', ''), '–', '-');

-- Returns the lower bound of an employee count or range: `42`, `11-50`, `10000+`, `>500`, `<10`. size_max returns the
-- upper bound. A missing bound gives NULL.
CREATE OR REPLACE TEMP MACRO size_min(t) AS
  coalesce(
    TRY_CAST(regexp_extract(size_compact(t), '^(?:>=)?([0-9]+)(?:-[0-9]+|\+)?$', 1) AS INTEGER),
    TRY_CAST(regexp_extract(size_compact(t), '^>([0-9]+)$', 1) AS INTEGER) + 1
  );
CREATE OR REPLACE TEMP MACRO size_max(t) AS
  coalesce(
    TRY_CAST(regexp_extract(size_compact(t), '^(?:[0-9]+-|<=)?([0-9]+)$', 1) AS INTEGER),
    TRY_CAST(regexp_extract(size_compact(t), '^<([0-9]+)$', 1) AS INTEGER) - 1
  );

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
