-- Donors of one tender, with the number of tenders that name each.
SELECT d.position, d.name, d.payload, count(DISTINCT o.slug) AS tenders
FROM core.tender_donors AS d
LEFT JOIN core.tender_donors AS o ON o.name = d.name
WHERE d.slug = $slug
GROUP BY ALL
ORDER BY d.position
