import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import type { z } from 'zod';

import * as connector from '../../schemas/connector/company-data.js';
import { ValidationErrorBody } from '../../schemas/connector/error.js';
import * as signIn from '../../schemas/connector/sign-in.js';
import * as v1company from '../../schemas/v1/company.js';
import { V1ErrorBody } from '../../schemas/v1/error.js';
import * as v1executive from '../../schemas/v1/executive.js';
import { V1FinancialReport } from '../../schemas/v1/financial-report.js';
import { Nomenclatures, TenderNomenclatures } from '../../schemas/v1/nomenclature.js';
import * as tender from '../../schemas/v1/tender.js';
import { AutocompleteRequest } from '../../schemas/v2/autocomplete.js';
import { Company } from '../../schemas/v2/company.js';
import * as employee from '../../schemas/v2/employee.js';
import * as enrichment from '../../schemas/v2/enrichment.js';
import { AutocompleteErrorBody, DetailError, InvalidRequest, LimitErrorBody } from '../../schemas/v2/error.js';
import { FinancialQuery, FinancialReport, FinancialTickerQuery } from '../../schemas/v2/financial-report.js';
import * as metrics from '../../schemas/v2/metrics.js';
import * as overview from '../../schemas/v2/overview.js';
import * as prospecting from '../../schemas/v2/prospecting.js';
import * as watch from '../../schemas/v2/watch.js';

const folder = new URL('../fixtures/api/', import.meta.url);

/**
 * Maps each file to the schemas it must match: the documented one and, where it controls the client, the client's
 * reader.
 */
const responses: Record<string, z.ZodType[]> = {
  'v2-prospecting': [prospecting.ProspectingResponse, prospecting.ProspectingPage],
  'v2-overview': [overview.OverviewResponse, overview.OverviewPage],
  'v2-company': [Company],
  'v2-company-enriched': [Company],
  'v2-employees': [employee.EmployeesResponse, employee.EmployeesPage],
  'v2-employee': [employee.Employee],
  'v2-employee-enriched': [employee.Employee],
  'v2-enrichment-employee-search': [enrichment.EnrichEmployeeSearchResponse, enrichment.EnrichEmployeeSearchPage],
  'v2-metrics': [metrics.MetricsResponse, metrics.MetricsReading],
  'v2-contact-metrics': [metrics.ContactMetrics, metrics.ContactMetricsReading],
  'v2-financial-report': [FinancialReport],
  'v2-watch-list': [watch.WatchListResponse, watch.WatchListPage],
  'v2-watch-events': [watch.WatchEventsResponse, watch.WatchEventsPage],
  'v2-watch-fields': [watch.WatchFieldsResponse],
  'v2-watch-callback': [watch.WatchCallback],
  'v2-webhook-delivery': [watch.WebhookDelivery],
  'v1-companies': [v1company.V1CompaniesResponse, v1company.V1CompaniesPage],
  'v1-company': [v1company.V1Company],
  'v1-financial-report': [V1FinancialReport],
  'v1-executive': [v1executive.V1Executive],
  'v1-company-executives': [v1executive.V1CompanyExecutivesResponse, v1executive.V1CompanyExecutivesPage],
  'v1-executives': [v1executive.V1ExecutivesResponse, v1executive.V1ExecutivesPage],
  'v1-tenders': [tender.TendersResponse, tender.TendersPage],
  'v1-tender-details': [tender.TenderDetails],
  'v1-nomenclatures': [Nomenclatures],
  'v1-tender-nomenclatures': [TenderNomenclatures],
};

const requests: Record<string, z.ZodType[]> = {
  'v2-prospecting': [prospecting.ProspectingRequest],
  'v2-overview': [overview.OverviewRequest],
  'v2-employees': [employee.EmployeesRequest],
  'v2-watch-start': [watch.WatchStartRequest],
  'v2-watch-fields': [watch.WatchFieldsRequest],
  'v2-watch-callback': [watch.WatchCallbackRequest],
  'v2-watch-list': [watch.WatchListQuery],
  'v2-watch-events': [watch.WatchEventsQuery],
  'v2-contact-metrics': [metrics.ContactMetricsQuery],
  'v2-enrichment-url': [enrichment.EnrichUrlRequest],
  'v2-enrichment-company-pronet': [enrichment.EnrichCompanyPronetRequest],
  'v2-enrichment-company': [enrichment.EnrichCompanyRequest],
  'v2-enrichment-email': [enrichment.EnrichEmailRequest],
  'v2-enrichment-employee-pronet': [enrichment.EnrichEmployeePronetRequest],
  'v2-enrichment-employee-contacts': [enrichment.EnrichContactsRequest],
  'v2-enrichment-employee-search': [enrichment.EnrichEmployeeSearchRequest],
  'v2-autocomplete': [AutocompleteRequest],
  'v2-financial': [FinancialQuery],
  'v2-financial-ticker': [FinancialTickerQuery],
  'v1-id': [v1company.V1IdQuery],
  'v1-companies': [v1company.V1CompaniesRequest],
  'v1-executives': [v1executive.V1ExecutivesRequest],
  'v1-company-executives': [v1executive.V1CompanyExecutivesQuery],
  'v1-tenders': [tender.TendersRequest],
  'v1-tender-details': [tender.TenderDetailsQuery],
};

/**
 * Bodies, queries and forms of the connector; not strict, because the reference does not say that unknown keys are
 * refused.
 */
const connectorRequests: Record<string, z.ZodType[]> = {
  'verify-token': [connector.VerifyTokenRequest],
  'company-by-url': [connector.CompanyByUrlRequest],
  'company-by-pronet': [connector.CompanyByPronetRequest],
  'company-financials': [connector.CompanyFinancialsRequest],
  autocomplete: [connector.ConnectorAutocompleteRequest],
  nomenclature: [connector.NomenclatureRequest],
  prospecting: [connector.ConnectorProspectingRequest],
  'company-id': [connector.CompanyIdRequest],
  session: [signIn.SessionParameters],
  'key-form': [signIn.KeyForm],
  'sso-callback': [signIn.SsoCallbackQuery],
  trial: [signIn.TrialParameters],
  'trial-verify': [signIn.VerifyForm],
};

const errors: Record<string, z.ZodType[]> = {
  'v2-token-verification-error': [DetailError],
  'v2-invalid-request': [InvalidRequest],
  'v2-internal-error': [DetailError],
  'v2-limit-error-daily': [LimitErrorBody],
  'v2-limit-error': [LimitErrorBody],
  'v2-autocomplete': [AutocompleteErrorBody, InvalidRequest],
  'v1-token-verification-error': [V1ErrorBody],
  'v1-invalid-request': [V1ErrorBody],
  'v1-internal-error': [V1ErrorBody],
  'v1-id-not-found': [V1ErrorBody],
  'v1-product-permission-denied': [V1ErrorBody],
  'connector-validation-error': [ValidationErrorBody],
};

function readFixture(kind: string, name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${kind}/${name}.json`, folder), 'utf8'));
}

describe.each(Object.entries({ responses, requests, connector: connectorRequests, errors }))('%s', (kind, table) => {
  it('has a schema for every fixture file', () => {
    const files = readdirSync(new URL(`${kind}/`, folder)).map((file) => file.replace('.json', ''));
    expect(files.sort()).toEqual(Object.keys(table).sort());
  });

  it.each(Object.keys(table))('parses %s without losing a field', (name) => {
    const body = readFixture(kind, name);
    for (const schema of table[name] ?? []) expect(schema.parse(body)).toEqual(body);
  });
});

describe('request schemas', () => {
  it.each(Object.keys(requests))('%s rejects a misspelt key', (name) => {
    const body = readFixture('requests', name) as object;
    for (const schema of requests[name] ?? []) expect(schema.safeParse({ ...body, mispelt: 1 }).success).toBe(false);
  });

  it.each(['v2-prospecting', 'v2-employees', 'v1-companies', 'v1-executives', 'v1-tenders'])(
    '%s rejects a misspelt filter',
    (name) => {
      const body = readFixture('requests', name) as { filters: object };
      const changed = { ...body, filters: { ...body.filters, mispelt: [1] } };
      for (const schema of requests[name] ?? []) expect(schema.safeParse(changed).success).toBe(false);
    },
  );
});

describe('response schemas', () => {
  const records = ['v2-company', 'v2-employee', 'v1-company', 'v1-executive', 'v1-tender-details', 'v1-nomenclatures'];
  it.each(records)('%s accepts missing, null and unknown fields, but requires its key', (name) => {
    const body = readFixture('responses', name) as Record<string, unknown>;
    for (const schema of responses[name] ?? []) {
      for (const field of Object.keys(body).filter((key) => key !== 'id' && key !== 'slug')) {
        const { [field]: _dropped, ...without } = body;
        expect(schema.parse(without), `without ${field}`).toEqual(without);
        expect(schema.parse({ ...body, [field]: null }), `${field} null`).toEqual({ ...body, [field]: null });
      }
      expect(schema.parse({ ...body, new_field: { a: [1] } })).toMatchObject({ new_field: { a: [1] } });
    }
  });

  it.each(['v2-company', 'v2-employee', 'v1-company', 'v1-executive'])('%s accepts a number or text as id', (name) => {
    const body = readFixture('responses', name) as object;
    for (const schema of responses[name] ?? []) {
      expect(schema.safeParse({ ...body, id: 7 }).success).toBe(true);
      expect(schema.safeParse({ ...body, id: '7' }).success).toBe(true);
      expect(schema.safeParse({ ...body, id: null }).success).toBe(false);
    }
  });
});
