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
