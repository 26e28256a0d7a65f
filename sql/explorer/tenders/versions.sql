-- Versions of one tender, newest first.
SELECT valid_from, valid_to, title, status, coalesce(type, project_type) AS type, announced_date, deadline_date, countries,
  industries, attachments
FROM core.tenders_history
WHERE slug = $slug
ORDER BY valid_from DESC
LIMIT 100
