/*
function: core.as_of_instant
returns: TIMESTAMPTZ
parameters:
  moment: a day (`DATE '2026-11-20'` or `'2026-11-20'`) or an instant (TIMESTAMPTZ, or text of one)
description: >-
  Converts the argument of core.companies_as_of and core.financials_as_of to an instant. A day means its end, in UTC. Fails for a moment
  before the first company record, and says when the data begins.
*/
CASE
  WHEN (SELECT id FROM meta.receipt) <> $build
  THEN error('This function belongs to another build of Tidemark than the tables that it would read. Name its database, as in '
    || 'old.core.companies_as_of(''2026-11-01'', db := ''old'').')
  WHEN
    CASE
      WHEN length(CAST(moment AS VARCHAR)) = 10
      THEN to_timestamp(epoch(CAST(CAST(moment AS VARCHAR) || ' 23:59:59.999999' AS TIMESTAMP)))
      ELSE CAST(moment AS TIMESTAMPTZ)
    END < (SELECT min(valid_from) FROM core.companies_history)
  THEN error('Tidemark knows nothing about ' || CAST(moment AS VARCHAR) || ': its data begins at '
    || (SELECT strftime(min(valid_from) AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S') FROM core.companies_history) || ' UTC.')
  WHEN length(CAST(moment AS VARCHAR)) = 10
  THEN to_timestamp(epoch(CAST(CAST(moment AS VARCHAR) || ' 23:59:59.999999' AS TIMESTAMP)))
  ELSE CAST(moment AS TIMESTAMPTZ)
END
