-- Exchange rates of the file that `fx.file` in tidemark.yaml names.
CREATE TABLE ledger.fx_rates (
  date DATE NOT NULL,
  currency VARCHAR NOT NULL, -- ISO 4217
  rate DOUBLE NOT NULL, -- units of `currency` for one unit of the base currency
  source VARCHAR NOT NULL -- `fx.file`, as in tidemark.yaml
);

-- Rows of the file that are not used, with the reason.
CREATE TABLE ledger.fx_refused (
  line BIGINT NOT NULL, -- number of the row in the file, from 1, without the header
  date VARCHAR,
  currency VARCHAR,
  rate VARCHAR,
  reason VARCHAR NOT NULL
);

-- One row while `fx` is set; else empty.
CREATE TABLE ledger.fx_settings (base VARCHAR NOT NULL, reporting VARCHAR NOT NULL);

-- Rates that changed since the last build of the models. NULL, NULL: `base` or `reporting` changed.
CREATE TABLE ledger.dirty_rates (currency VARCHAR, date DATE);
