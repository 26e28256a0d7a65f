/*
function: core.companies_as_of
returns: TABLE
parameters:
  moment: a day (to its end, in UTC) or an instant; see core.as_of_instant
description: >-
  Companies as they were known at a moment, one row each: the columns of core.companies_history, with the day of the version in
  valid_from. A company that had left is there as it was last known; one that was not found yet, or had no details, is not.
*/
SELECT * EXCLUDE (valid_to, is_current)
FROM core.companies_history
WHERE valid_from <= core.as_of_instant(moment) AND (valid_to IS NULL OR valid_to > core.as_of_instant(moment))
