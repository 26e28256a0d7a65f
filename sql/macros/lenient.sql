-- Macros that read values in several spellings: sizes, dates, booleans, numbers and lists. One rule holds for all: a text
-- with one certain meaning is parsed. Any other text gives NULL and stays as text; an audit in ops.checks counts it. The
-- page docs/spellings.md lists the spellings and the audits. The usual spelling is tried first, because it is faster.

-- Replaces signs that look like others: spaces, dashes, apostrophes and digits of other scripts. Removes invisible signs.
CREATE OR REPLACE TEMP MACRO plain_signs(t) AS
  CASE
    WHEN regexp_full_match(t, '[ -~]*') THEN trim(t)
    ELSE trim(regexp_replace(regexp_replace(
    translate(t, '‐‑‒–—―−﹣－٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９’ʼ', '---------012345678901234567890123456789'''''),
    '[\x{ad}\x{200b}-\x{200f}\x{2060}\x{feff}]+', '', 'g'), '[\p{Zs}\t\r\n]+', ' ', 'g'))
  END;

-- Sizes ----------------------------------------------------------------------------------------------------------------

-- Returns the number of employees in `n`, such as `1,001`, `1 001` or `1.5k`. A point before three digits separates
-- thousands only if `dots` is true, because `1.001` may also be a decimal number.
CREATE OR REPLACE TEMP MACRO size_number(n, dots) AS
  CASE
    WHEN regexp_full_match(n, '[0-9]+([.,]0{1,2})?') THEN TRY_CAST(regexp_extract(n, '^[0-9]+') AS BIGINT)
    WHEN regexp_full_match(n, '[1-9][0-9]{0,2}(( [0-9]{3})+|(,[0-9]{3})+|(''[0-9]{3})+|(\.[0-9]{3}){2,})|[1-9][0-9]?(,[0-9]{2})+,[0-9]{3}')
      OR (dots AND regexp_full_match(n, '[1-9][0-9]{0,2}\.[0-9]{3}'))
    THEN TRY_CAST(regexp_replace(n, '[ .,'']', '', 'g') AS BIGINT)
    WHEN regexp_full_match(n, '[0-9]{1,9}([.,][0-9]{1,2})? ?k')
    THEN TRY_CAST(1000 * TRY_CAST(replace(regexp_extract(n, '^[0-9.,]+'), ',', '.') AS DECIMAL(18, 2)) AS BIGINT)
    WHEN regexp_full_match(n, '[0-9](\.[0-9]+)?e\+?[0-9]{1,2}') AND TRY_CAST(n AS DOUBLE) = trunc(TRY_CAST(n AS DOUBLE))
    THEN TRY_CAST(TRY_CAST(n AS DOUBLE) AS BIGINT)
  END;

-- Writes a size with signs instead of words: `more than 1,000 employees` becomes `>1,000`, `51 to 200` becomes `51-200`.
CREATE OR REPLACE TEMP MACRO size_signs(t) AS
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    trim(regexp_replace(
      replace(replace(lower(plain_signs(t)), '&gt;', '>'), '&lt;', '<'),
      '\b(employees?|staff|people|persons?|workers?|ftes?|headcount)\b\.?', ' ', 'g')),
    ' +', ' ', 'g'),
    '^(?:between (.+) and|from (.+) to) (.+)$', '\1\2-\3'),
    '^(.*[0-9k]) to ([0-9].*)$', '\1-\2'),
    '^(?:more than|greater than|over|above) ', '>'),
    '^(?:at least|minimum(?: of)?|min\.?|≥|=>|> =) ?', '>='),
    '^(?:less than|fewer than|under|below) ', '<'),
    '^(?:up to|at most|maximum(?: of)?|max\.?|≤|=<|< =) ?', '<='),
    ' ?(?:\+|\bplus|\b(?:or|and) (?:more|above|over|greater|up))$', '+'),
    '^(.*?) ?\b(?:or (?:less|fewer|below|under)|and (?:less|fewer|below|under))$', '<=\1');

-- Parts of a size: the sign before it, the first number, the second number of a range, and a plus sign.
CREATE OR REPLACE TEMP MACRO size_parts(s) AS
  regexp_extract(s, '^(>=|<=|>|<)? ?([0-9][0-9 .,''ke]*?) ?(?:- ?([0-9][0-9 .,''ke]*?)|(\+))?$', ['sign', 'a', 'b', 'plus']);

-- Both numbers of a range. A point separates thousands if both numbers have one (`1.001-5.000`), or if the range would
-- otherwise end before it begins (`501-1.000`). `10-50k` is no certain range.
CREATE OR REPLACE TEMP MACRO size_range(a, b) AS
  list_transform(
    [contains(b, '.') AND (contains(a, '.') OR size_number(a, false) > TRY_CAST(regexp_extract(b, '^[0-9]+') AS BIGINT))],
    lambda dots: {
      'lo': coalesce(size_number(a, dots), -1),
      'hi': CASE WHEN ends_with(b, 'k') AND NOT ends_with(a, 'k') THEN -1 ELSE coalesce(size_number(b, dots), -1) END
    })[1];

-- The bounds that the parts state. A bound is NULL if the size has none, and -1 if its number is not certain.
CREATE OR REPLACE TEMP MACRO size_stated(p) AS
  CASE
    WHEN p.a = '' OR (p.sign <> '' AND (p.b <> '' OR p.plus <> '')) THEN NULL
    WHEN p.b <> '' THEN size_range(p.a, p.b)
    WHEN p.sign = '>' THEN {'lo': coalesce(size_number(p.a, false) + 1, -1), 'hi': NULL}
    WHEN p.sign = '<' THEN {'lo': NULL, 'hi': coalesce(size_number(p.a, false) - 1, -1)}
    ELSE {
      'lo': CASE WHEN p.sign <> '<=' THEN coalesce(size_number(p.a, false), -1) END,
      'hi': CASE WHEN p.sign <> '>=' AND p.plus = '' THEN coalesce(size_number(p.a, false), -1) END
    }
  END;

-- Returns the bounds of an employee count or range as {lo, hi}: `42`, `11-50`, `10000+`, `>500`, `<10`. A bound is NULL if
-- the size has none. Both are NULL if the meaning is not certain, or if INTEGER cannot hold a bound.
CREATE OR REPLACE TEMP MACRO size_bounds(t) AS
  CASE
    WHEN regexp_full_match(t, '[0-9]{1,9}') THEN {'lo': TRY_CAST(t AS INTEGER), 'hi': TRY_CAST(t AS INTEGER)}
    WHEN regexp_full_match(t, '[0-9]{1,9}-[0-9]{1,9}') AND TRY_CAST(split_part(t, '-', 1) AS INTEGER) <= TRY_CAST(split_part(t, '-', 2) AS INTEGER)
    THEN {'lo': TRY_CAST(split_part(t, '-', 1) AS INTEGER), 'hi': TRY_CAST(split_part(t, '-', 2) AS INTEGER)}
    ELSE list_transform(
      list_filter(
        list_transform(
          [size_parts(size_signs(t))],
          lambda p: size_stated(p)),
        lambda b: coalesce(b.lo, b.hi) BETWEEN 0 AND 2147483647 AND coalesce(b.hi, b.lo) BETWEEN coalesce(b.lo, 0) AND 2147483647),
      lambda b: {'lo': TRY_CAST(b.lo AS INTEGER), 'hi': TRY_CAST(b.hi AS INTEGER)}
    )[1]
  END;

-- Dates ----------------------------------------------------------------------------------------------------------------

-- Writes a date with year, month and day in this order as `2020-01-31`. NULL for a date that does not exist.
CREATE OR REPLACE TEMP MACRO iso_day(y, m, d) AS
  CASE WHEN y <> '0000' THEN CAST(TRY_CAST(y || '-' || lpad(m, 2, '0') || '-' || lpad(d, 2, '0') AS DATE) AS VARCHAR) END;

-- Writes a date of another certain spelling as `2020-01-31`. In `31/12/2020`, only 31 can be the day. `03/04/2020` is not
-- certain. A number of seconds or milliseconds is a date if it is midnight UTC.
CREATE OR REPLACE TEMP MACRO other_day(s) AS
  CASE
    WHEN regexp_full_match(s, '(1[89]|2[01])[0-9]{6}(\.0)?') THEN iso_day(s[1:4], s[5:6], s[7:8])
    WHEN regexp_full_match(s, '[0-9]{4}([/.-][0-9]{1,2}){2}')
    THEN iso_day(s[1:4], regexp_extract(s, '^[0-9]{4}.([0-9]+).', 1), regexp_extract(s, '([0-9]+)$', 1))
    WHEN regexp_full_match(s, '([0-9]{1,2}[/.-]){2}[0-9]{4}')
    THEN list_transform(
      [regexp_extract(s, '^([0-9]+).([0-9]+).([0-9]+)$', ['a', 'b', 'y'])],
      lambda p: CASE
        WHEN TRY_CAST(p.a AS INTEGER) > 12 OR TRY_CAST(p.a AS INTEGER) = TRY_CAST(p.b AS INTEGER) THEN iso_day(p.y, p.b, p.a)
        WHEN TRY_CAST(p.b AS INTEGER) > 12 THEN iso_day(p.y, p.a, p.b)
      END)[1]
    WHEN regexp_matches(s, '[a-z]') AND regexp_matches(s, '[0-9]{4}$')
    THEN CAST(CAST(try_strptime(
      regexp_replace(regexp_replace(s, '^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? ', ''), '([0-9])(st|nd|rd|th|\.) ', '\1 '),
      ['%d %B %Y', '%d %b %Y', '%d-%b-%Y', '%d-%B-%Y', '%B %d, %Y', '%b %d, %Y', '%B %d %Y', '%b %d %Y']
    ) AS DATE) AS VARCHAR)
    WHEN regexp_full_match(s, '-?([0-9]{9,10}|[0-9]{12,13})')
    THEN CASE WHEN TRY_CAST(s AS BIGINT) % (86400 * CASE WHEN len(s) > 11 THEN 1000 ELSE 1 END) = 0
      THEN CAST(CAST(make_timestamp(TRY_CAST(s AS BIGINT) * CASE WHEN len(s) > 11 THEN 1000 ELSE 1000000 END) AS DATE) AS VARCHAR) END
  END;

-- Writes a date in another certain spelling as ISO 8601, together with its time: `31/12/2020 8:00 GMT` becomes
-- `2020-12-31 08:00Z`. Returns a text that begins as ISO 8601 unchanged.
CREATE OR REPLACE TEMP MACRO iso_text(t) AS
  CASE
    WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$') THEN t
    WHEN t IS NOT NULL
    THEN list_transform(
      [regexp_extract(
        lower(plain_signs(t)),
        '^(.*?)(?:[t ,]+([0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?) ?(z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})?)?$',
        ['day', 'time', 'zone'])],
      lambda p: other_day(p.day) || CASE WHEN p.time = '' THEN '' ELSE
        ' ' || CASE WHEN p.time[2] = ':' THEN '0' ELSE '' END || p.time || CASE WHEN p.zone IN ('utc', 'gmt') THEN 'Z' ELSE regexp_replace(p.zone, '([0-9]{2}):?([0-9]{2})$', '\1:\2') END END
    )[1]
  END;

-- Returns the date at the start of a text in ISO 8601. core.financials_as_of has the same rule, because the published file
-- has no macros.
CREATE OR REPLACE TEMP MACRO iso_date(t) AS
  CASE
    WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$') AND NOT starts_with(t, '0000') THEN TRY_CAST(left(t, 10) AS DATE)
  END;

-- Returns the date that a text states. A time after the date is ignored; text_has_bad_time checks it.
CREATE OR REPLACE TEMP MACRO text_date(t) AS list_transform([iso_text(t)], lambda s: iso_date(s))[1];

-- Converts a Unix time to an instant. A number below 1e11 counts seconds, up to the year 5138. A larger number counts milliseconds.
-- NULL for numbers below 0 and from 1e14 on.
CREATE OR REPLACE TEMP MACRO unix_instant(n) AS
  CASE WHEN n >= 0 AND n < 1e11 THEN to_timestamp(n) WHEN n >= 1e11 AND n < 1e14 THEN to_timestamp(n / 1000) END;

-- Returns the instant that a text states: a date with a time and a zone, or seconds or milliseconds since 1970. Without a
-- zone, it is UTC. A date without a time means midnight UTC. The words `infinity` and `epoch` give NULL.
CREATE OR REPLACE TEMP MACRO text_instant(t) AS
  CASE
    WHEN regexp_full_match(t, '[0-9]{9,10}(\.[0-9]+)?|[0-9]{12,13}') THEN unix_instant(TRY_CAST(t AS DOUBLE))
    ELSE list_transform(
      [iso_text(t)],
      lambda s: CASE WHEN regexp_matches(s, '^.{10}([T ][0-9].*)?$') AND NOT starts_with(s, '0000') THEN TRY_CAST(s AS TIMESTAMPTZ) END)[1]
  END;

-- Parses the local date and time in a text in ISO 8601. Ignores a time zone after the time.
CREATE OR REPLACE TEMP MACRO iso_wall_clock(s) AS
  CASE
    WHEN iso_date(s) IS NOT NULL
    THEN TRY_CAST(
      regexp_extract(s, '^([0-9-]{10}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?) ?([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)?$', 1) AS TIMESTAMP
    )
  END;

-- Parses the local date and time in a text. Ignores a time zone after the time. A date without a time gives NULL.
CREATE OR REPLACE TEMP MACRO text_wall_clock(t) AS list_transform([iso_text(t)], lambda s: iso_wall_clock(s))[1];

-- True when a text states a date, but its rest is not a valid time.
CREATE OR REPLACE TEMP MACRO text_has_bad_time(t) AS
  coalesce(list_transform([iso_text(t)], lambda s: len(s) > 10 AND iso_date(s) IS NOT NULL AND iso_wall_clock(s) IS NULL)[1], false);

-- Booleans -------------------------------------------------------------------------------------------------------------

-- Parses a boolean, or a text or number that certainly means one.
CREATE OR REPLACE TEMP MACRO json_flag(j) AS
  CASE
    WHEN lower(json_text(j)) IN ('true', 'yes', 'y', 't', 'on', '1', '1.0') THEN true
    WHEN lower(json_text(j)) IN ('false', 'no', 'n', 'f', 'off', '0', '0.0') THEN false
  END;

-- Numbers --------------------------------------------------------------------------------------------------------------

-- Reads a number without sign. In `1,234` and `1.234`, the separator may mean thousands or decimals: a point means
-- decimals, as in JSON, and a comma is not certain.
CREATE OR REPLACE TEMP MACRO unsigned_number(u) AS
  CASE
    WHEN regexp_full_match(u, '[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,4})?') THEN TRY_CAST(u AS DOUBLE)
    WHEN regexp_full_match(u, '[1-9][0-9]{0,2}((,[0-9]{3})+\.[0-9]+|(,[0-9]{3}){2,})|[1-9][0-9]?(,[0-9]{2})+,[0-9]{3}(\.[0-9]+)?')
    THEN TRY_CAST(replace(u, ',', '') AS DOUBLE)
    WHEN regexp_full_match(u, '[1-9][0-9]{0,2}((\.[0-9]{3})+,[0-9]+|(\.[0-9]{3}){2,})')
    THEN TRY_CAST(replace(replace(u, '.', ''), ',', '.') AS DOUBLE)
    WHEN regexp_full_match(u, '[1-9][0-9]{0,2}(( [0-9]{3})+|(''[0-9]{3})+)([.,][0-9]+)?')
    THEN TRY_CAST(replace(regexp_replace(u, '[ '']', '', 'g'), ',', '.') AS DOUBLE)
    WHEN regexp_full_match(u, '[0-9]+,([0-9]{1,2}|[0-9]{4,})|0,[0-9]+|[0-9]{4,},[0-9]+') THEN TRY_CAST(replace(u, ',', '.') AS DOUBLE)
  END;

-- Reads a number in a text of digits, separators and signs: `1,234.5`, `1.234,56`, `1 234`, `−5`, `5-`, `(1,234.00)`. A minus
-- sign may follow the number, and parentheses mean a minus, as in accounts.
CREATE OR REPLACE TEMP MACRO text_number(t) AS
  CASE
    WHEN regexp_full_match(t, '[-+(\p{Pd}−\p{Nd}\p{Zs}.,''’)eE]*\p{Nd}[-+(\p{Pd}−\p{Nd}\p{Zs}.,''’)eE]*')
    THEN list_transform(
      [regexp_extract(lower(plain_signs(t)), '^(?:(\() ?(.+?) ?\)|([+-]?) ?([^-+].*?) ?(-?))$', ['open', 'inside', 'sign', 'body', 'after'])],
      lambda p: CASE
        WHEN p.sign <> '' AND p.after <> '' THEN NULL
        WHEN p.open <> '' THEN -unsigned_number(p.inside)
        WHEN p.sign = '-' OR p.after = '-' THEN -unsigned_number(p.body)
        ELSE unsigned_number(p.body)
      END)[1]
  END;

-- Reads a share: a number, perhaps with a percent sign. Does not convert percent.
CREATE OR REPLACE TEMP MACRO owner_share(t) AS text_number(trim(rtrim(trim(t), '%')));

-- Lists ----------------------------------------------------------------------------------------------------------------

-- Returns the parts of a list that hold no plain value, as {path, v}: the whole value if it is an object but no list, else
-- the nested items. Empty for NULL and for an empty value.
CREATE OR REPLACE TEMP MACRO list_faults(path, j) AS
  CASE
    WHEN j IS NULL OR NOT json_is_nested(j) THEN []
    WHEN NOT json_is_list(j) THEN [{'path': path, 'v': j}]
    ELSE list_filter(
      list_transform(json_items(j), lambda x, i: {'path': path || '[' || (i - 1) || ']', 'v': x}),
      lambda f: json_is_nested(f.v))
  END;
