-- One tender. Its HTML is left out: pages show text only.
SELECT t.* EXCLUDE (description_html), p.slug IS NOT NULL AS is_open, p.days_left
FROM core.tenders AS t
LEFT JOIN marts.tender_pipeline AS p USING (slug)
WHERE t.slug = $slug
