/*
function: core.companies_as_of
returns: TABLE
parameters:
  moment: a day (meaning its end, in UTC) or an instant; see core.as_of_instant
description: >-
  Companies as they were known at a moment, one row per company, with the columns of core.companies_history. valid_from is the
  start of the version. A company that had left the market has its last known version. A company without a record at that
  moment is left out.
*/
SELECT * EXCLUDE (valid_to, is_current)
FROM core.companies_history
WHERE valid_from <= core.as_of_instant(moment) AND (valid_to IS NULL OR valid_to > core.as_of_instant(moment))
