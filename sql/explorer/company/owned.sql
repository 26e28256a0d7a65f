-- Companies that one company owns, directly or through others.
SELECT o.company_id, c.name, max(o.effective_share) AS effective_share
FROM marts.owners AS o
JOIN core.companies AS c USING (company_id)
WHERE o.owner_id = CAST($id AS VARCHAR) AND o.is_natural_person IS NOT true
GROUP BY ALL
ORDER BY effective_share DESC NULLS LAST, c.name
LIMIT 200
