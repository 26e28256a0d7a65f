/*
model: core.fx_rates
kind: table
version: 1
grain: exchange rate of a currency on a day
key: [date, currency]
dates: days
description: >-
  Exchange rates, from the file that fx.file in tidemark.yaml names. Empty without this setting. ops.checks counts the rows of the
  file that are not used (refused_row).
columns:
  date: DATE | Day of the rate
  currency: VARCHAR | Currency, ISO 4217
  rate: DOUBLE | How many units of currency one unit of base costs
  base: VARCHAR | Currency to which the rate refers (fx.base)
  source: VARCHAR | File or web address of the rates, as fx.file names it
audits:
  - { name: refused_row, severity: warn, sql: FROM ledger.fx_refused }
*/
SELECT r.date, r.currency, r.rate, s.base, r.source
FROM ledger.fx_rates AS r, ledger.fx_settings AS s
