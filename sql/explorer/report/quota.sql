SELECT metric, used, total, read_at
FROM ops.quota
QUALIFY row_number() OVER (PARTITION BY metric ORDER BY read_at DESC) <= 60
ORDER BY metric, read_at
