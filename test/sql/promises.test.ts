import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { INDICATORS } from '../../schemas/v2/indicators.js';
import { readModels } from '../../src/warehouse/models/models.js';

/** Columns that users rely on: they keep name, type and meaning. A model may have more columns. */
const PROMISED: Record<string, string> = {
  'core.companies': `company_id BIGINT, name VARCHAR, country_code VARCHAR, country_name VARCHAR, registration_number VARCHAR,
    vat_number VARCHAR, status VARCHAR, legal_form VARCHAR, website VARCHAR, phones VARCHAR[], emails VARCHAR[], faxes VARCHAR[],
    brands VARCHAR[], address_street VARCHAR, address_location VARCHAR, address_city VARCHAR, country_region VARCHAR,
    zip_code VARCHAR, size_text VARCHAR, employees_min INTEGER, employees_max INTEGER, founding_date DATE, pronet VARCHAR,
    microblog VARCHAR, socialnet VARCHAR, first_seen_on DATE, last_seen_on DATE, has_details BOOLEAN, observed_at TIMESTAMPTZ`,
  'core.companies_history':
    'company_id BIGINT, name VARCHAR, valid_from TIMESTAMPTZ, valid_to TIMESTAMPTZ, is_current BOOLEAN, record_hash VARCHAR',
  'core.company_codes': 'company_id BIGINT, scheme VARCHAR, code_id BIGINT, value VARCHAR',
  'core.financials': `company_id BIGINT, fiscal_year INTEGER, indicator VARCHAR, value_double DOUBLE, value_text VARCHAR, currency VARCHAR,
    reported_date DATE, source VARCHAR, observed_at TIMESTAMPTZ, progress DOUBLE, processed_at TIMESTAMPTZ, modified_at TIMESTAMPTZ`,
  'core.financials_history': `company_id BIGINT, fiscal_year INTEGER, indicator VARCHAR, source VARCHAR, valid_from TIMESTAMPTZ,
    valid_to TIMESTAMPTZ, value_double DOUBLE, value_text VARCHAR`,
  'core.report_years': `company_id BIGINT, fiscal_year INTEGER, source VARCHAR, report_date DATE, valid_from TIMESTAMPTZ,
    valid_to TIMESTAMPTZ, is_current BOOLEAN, is_latest BOOLEAN, currency VARCHAR, reported_date DATE, observed_at TIMESTAMPTZ`,
  'core.indicators':
    'indicator VARCHAR, kind VARCHAR, in_reference BOOLEAN, companies BIGINT, first_year INTEGER, last_year INTEGER',
  'core.tenders': `slug VARCHAR, title VARCHAR, status VARCHAR, project_type VARCHAR, type VARCHAR, announced_date DATE, deadline_date DATE,
    announced_at TIMESTAMP, deadline_at TIMESTAMP, countries VARCHAR[], industries VARCHAR[], description_html VARCHAR, description_text VARCHAR, logo VARCHAR, first_seen_on DATE,
    last_seen_on DATE, observed_at TIMESTAMPTZ`,
  'core.tender_donors': 'slug VARCHAR, position INTEGER, name VARCHAR, payload JSON',
  'core.tender_attachments': 'slug VARCHAR, position INTEGER, url VARCHAR',
  'core.tender_contacts': 'slug VARCHAR, position INTEGER, kind VARCHAR, type VARCHAR, name VARCHAR, contact_id BIGINT',
  'core.nomenclatures': 'source VARCHAR, list VARCHAR, id BIGINT, name VARCHAR, short_name VARCHAR, parent_id BIGINT',
  'core.watched_companies': 'company_id BIGINT, fields VARCHAR[], since DATE',
  'core.watch_events': `event_id VARCHAR, company_id BIGINT, field VARCHAR, status VARCHAR, old_value VARCHAR, new_value VARCHAR,
    message_text VARCHAR, occurred_at TIMESTAMPTZ, received_via VARCHAR`,
  'core.payee_checks': 'check_id VARCHAR, decision VARCHAR, request JSON, payload JSON, observed_at TIMESTAMPTZ',
  'core.owners':
    'company_id BIGINT, threshold DOUBLE, conclusive BOOLEAN, job_id VARCHAR, payload JSON, observed_at TIMESTAMPTZ',
  'marts.companies': `company_id BIGINT, name VARCHAR, country_code VARCHAR, status VARCHAR, founding_date DATE, employees_min INTEGER,
    employees_max INTEGER, fiscal_year INTEGER, turnover DOUBLE, turnover_currency VARCHAR, turnover_eur DOUBLE, profit DOUBLE, employees BIGINT`,
  'marts.market_members': 'market VARCHAR, date DATE, company_id BIGINT',
  'marts.market_daily':
    'market VARCHAR, date DATE, companies BIGINT, active BIGINT, entered BIGINT, left BIGINT, changed BIGINT',
  'marts.financials_wide': `company_id BIGINT, fiscal_year INTEGER, currency VARCHAR, turnover DOUBLE, gross_profit DOUBLE,
    operating_profit DOUBLE, ebitda DOUBLE, pre_tax_profit DOUBLE, profit_after_tax DOUBLE, total_assets DOUBLE, total_liabilities DOUBLE,
    net_worth DOUBLE, cash DOUBLE, employees BIGINT, source VARCHAR`,
  'marts.financials_disagreement': `company_id BIGINT, fiscal_year INTEGER, indicator VARCHAR, v2_double DOUBLE, v1_double DOUBLE,
    v2_text VARCHAR, v1_text VARCHAR, difference DOUBLE, v2_reported_date DATE, v1_reported_date DATE`,
  'marts.tender_pipeline':
    'slug VARCHAR, title VARCHAR, status VARCHAR, type VARCHAR, deadline_date DATE, days_left INTEGER',
  'marts.changes': `changed_at TIMESTAMPTZ, kind VARCHAR, company_id BIGINT, market VARCHAR, field VARCHAR, old_value VARCHAR, new_value VARCHAR,
    event_id VARCHAR`,
  'ops.runs': `workflow_id VARCHAR, run_id VARCHAR, workflow_type VARCHAR, market VARCHAR, date DATE, started_at TIMESTAMPTZ,
    finished_at TIMESTAMPTZ, outcome VARCHAR, requests BIGINT, rows BIGINT`,
  'ops.segments': `run VARCHAR, segment VARCHAR, filters JSON, parent VARCHAR, total_reported BIGINT, rows_fetched BIGINT, pages INTEGER,
    depth INTEGER, state VARCHAR`,
  'ops.coverage':
    'run VARCHAR, market VARCHAR, reported_total BIGINT, distinct_companies BIGINT, missing BIGINT, share DOUBLE, why JSON',
  'ops.requests':
    'run VARCHAR, endpoint VARCHAR, requests BIGINT, errors BIGINT, retries BIGINT, bytes BIGINT, p50_ms DOUBLE, p99_ms DOUBLE',
  'ops.quota': 'metric VARCHAR, used BIGINT, total BIGINT, read_at TIMESTAMPTZ',
  'ops.rejects':
    'stream VARCHAR, entity_id VARCHAR, reason VARCHAR, path VARCHAR, raw VARCHAR, first_seen TIMESTAMPTZ, resolved_at TIMESTAMPTZ',
  'ops.checks': 'model VARCHAR, check VARCHAR, failing_rows BIGINT, severity VARCHAR, at TIMESTAMPTZ',
  'meta.models':
    'model VARCHAR, version INTEGER, kind VARCHAR, fingerprint VARCHAR, applied_at TIMESTAMPTZ, state VARCHAR',
};

const models = new Map((await readModels()).map((model) => [model.model, model]));

describe('promised tables', () => {
  test.each(Object.entries(PROMISED))('%s has the promised columns', (name, columns) => {
    const model = models.get(name);
    const actual = Object.entries(model?.columns ?? {}).map(([column, { type }]) => `${column} ${type}`);
    expect(actual).toEqual(expect.arrayContaining(columns.split(',').map((column) => column.trim())));
  });

  test('comments every column', () => {
    const mute = [...models.values()].flatMap(({ model, columns }) =>
      Object.entries(columns).flatMap(([name, { comment }]) => (comment.length < 2 ? [`${model}.${name}`] : [])),
    );
    expect(mute).toEqual([]);
  });

  test('declares as keys only columns that exist', () => {
    const strangers = [...models.values()].flatMap(({ model, key, nullable, columns }) =>
      [...key, ...nullable].filter((column) => !(column in columns)).map((column) => `${model}.${column}`),
    );
    expect(strangers).toEqual([]);
  });
});

describe('seeds/indicators.csv', () => {
  const seed = readFileSync('sql/seeds/indicators.csv', 'utf8').trim().split('\n').slice(1);

  test('lists every indicator of the API schema with its kind, once', () => {
    expect(seed).toEqual([...INDICATORS].map(([indicator, kind]) => `${indicator},${kind}`).toSorted());
  });
});
