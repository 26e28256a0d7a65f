SELECT model, "check", failing_rows, severity, "at" FROM ops.checks WHERE failing_rows > 0 ORDER BY failing_rows DESC, model, "check"
