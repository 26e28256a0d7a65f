-- Audits with failing rows, the most severe first.
SELECT model, "check", severity, failing_rows, "at" FROM ops.checks WHERE failing_rows > 0
ORDER BY severity, failing_rows DESC LIMIT 100
