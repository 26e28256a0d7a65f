-- Macros that parse company fields whose text contains a comma-separated list or a range of employees.

-- Splits `A, B,C` into a list.
CREATE OR REPLACE TEMP MACRO comma_texts(t) AS
  list_filter(list_transform(string_split(t, ','), lambda x: trim(x)), lambda x: x <> '');

-- Removes spaces, thousands separators and the unit from a size: `1,001 – 5,000 employees` becomes `1001-5000`.
CREATE OR REPLACE TEMP MACRO size_compact(t) AS
  replace(regexp_replace(regexp_replace(lower(t), '[\s,'']', '', 'g'), '(employees?|staff)$', ''), '–', '-');

-- Lower and upper bound of an employee count or range: `42`, `11-50`, `10000+`, `>500`, `<10`.
-- A missing bound gives NULL.
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

-- Splits a text into phone numbers or e-mail addresses if each part is certainly one of them. Otherwise keeps the text whole.
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

-- A text to compare, without case, spaces and the leading zeros that a number loses: `00 12` and `12.0` give `12`.
CREATE OR REPLACE TEMP MACRO loose_text(t) AS
  regexp_replace(regexp_replace(lower(t), '[\s\x{00a0}]+', '', 'g'), '^0*([0-9]+?)(\.0+)?$', '\1');

-- The same for the entries of a list, sorted. NULL for a list without entries.
CREATE OR REPLACE TEMP MACRO loose_texts(l) AS
  CASE WHEN len(l) > 0 THEN list_sort(list_distinct(list_transform(l, lambda x: loose_text(x)))) END;
