-- Values of financial reports requested by ticker, once per ticker and distinct answer. Both values NULL: unreadable (see
-- ledger.rejects). indicator NULL: the whole year was unreadable.
CREATE TABLE ledger.ticker_values (
  ticker VARCHAR NOT NULL,
  body_hash VARCHAR NOT NULL,
  fiscal_year INTEGER NOT NULL,
  indicator VARCHAR,
  value_double DOUBLE,
  value_text VARCHAR
);
