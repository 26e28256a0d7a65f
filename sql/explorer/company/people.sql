-- People of one company who are listed now, then people who left. Names are NULL if the configuration keeps no personal data.
SELECT stream, person_id, full_name, title, function, seniority, department, nationality, valid_from, left_on
FROM core.people_history
WHERE company_id = $id AND is_current
ORDER BY left_on IS NOT NULL, stream, full_name, person_id
LIMIT 500
