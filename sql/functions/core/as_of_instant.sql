/*
function: core.as_of_instant
returns: TIMESTAMPTZ
parameters:
  moment: a day (`DATE '2026-11-20'` or `'2026-11-20'`) or an instant (TIMESTAMPTZ, or text of one)
description: >-
  Converts the argument of core.companies_as_of and core.financials_as_of to an instant. A day means its end, in UTC.
*/
CASE
  WHEN length(CAST(moment AS VARCHAR)) = 10
  THEN to_timestamp(epoch(CAST(CAST(moment AS VARCHAR) || ' 23:59:59.999999' AS TIMESTAMP)))
  ELSE CAST(moment AS TIMESTAMPTZ)
END
