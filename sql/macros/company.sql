-- Readers of the two company fields that are lists or ranges written as one text.

-- `A, B,C` as a list.
CREATE OR REPLACE TEMP MACRO comma_texts(t) AS
  list_filter(list_transform(string_split(t, ','), lambda x: trim(x)), lambda x: x <> '');

-- Digits of a size without thousands separators: `1,001 - 5,000 employees` becomes `1001-5000employees`.
CREATE OR REPLACE TEMP MACRO size_compact(t) AS
  replace(regexp_replace(regexp_replace(lower(t), '[\s,'']', '', 'g'), '(employees?|staff)$', ''), '–', '-');

-- Bounds of an employee count or band: `42`, `11-50`, `10000+`, `>500`, `<10`; NULL where the text says no bound.
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
