-- Names of the codes that filters of a search use.
SELECT list, id, name FROM core.nomenclatures
WHERE source = 'v1' AND name IS NOT NULL AND list IN ('company_status', 'ownership_types', 'activity_type', 'countries')
ORDER BY list, id
