-- The last result of each audit.
SELECT model, "check", failing_rows, "at" FROM ops.checks
