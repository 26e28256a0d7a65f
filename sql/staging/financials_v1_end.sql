-- Runs after both passes of v1 reports. Stores what version 1 says beside each value.
INSERT INTO ledger.v1_values
SELECT report_id, report_date, ind, progress, processed_at FROM batch_values WHERE ind IS NOT NULL;
