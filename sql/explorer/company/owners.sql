-- Owners of one company, as a tree in the order of the answer.
SELECT o.threshold, o.position, o.depth, o.owner_id, o.owner_name, o.owner_type, o.country, o.effective_share, o.direct_share,
  o.is_natural_person, o.is_cycle, c.company_id
FROM marts.owners AS o
LEFT JOIN core.companies AS c ON c.company_id = TRY_CAST(o.owner_id AS BIGINT) AND o.is_natural_person IS NOT true
WHERE o.company_id = $id
QUALIFY o.threshold = min(o.threshold) OVER ()
ORDER BY o.position
LIMIT 500
