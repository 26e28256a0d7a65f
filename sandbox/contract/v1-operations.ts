import { z } from 'zod';
import { V1CompaniesRequest, V1CompaniesResponse, V1Company, V1IdQuery } from '../../schemas/v1/company.js';
import {
  V1CompanyExecutivesQuery,
  V1CompanyExecutivesResponse,
  V1Executive,
  V1ExecutivesRequest,
  V1ExecutivesResponse,
} from '../../schemas/v1/executive.js';
import { V1FinancialReport } from '../../schemas/v1/financial-report.js';
import { Nomenclatures, TenderNomenclatures } from '../../schemas/v1/nomenclature.js';
import { TenderDetails, TenderDetailsQuery, TendersRequest, TendersResponse } from '../../schemas/v1/tender.js';
import type { Operation } from './operation.js';

const BASE = '/v1/finder';

/** The 12 routes of version 1. `nomenclatures` has two entries, because it works with GET and with POST. */
export const V1_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: `${BASE}/companies`,
    summary: 'Companies by filters',
    section: 'Version 1',
    body: V1CompaniesRequest,
    response: V1CompaniesResponse,
  },
  {
    method: 'GET',
    path: `${BASE}/company/details`,
    summary: 'Company details',
    section: 'Version 1',
    query: V1IdQuery,
    response: V1Company,
    also: [404],
  },
  {
    method: 'GET',
    path: `${BASE}/company/financial`,
    summary: 'Financial report',
    section: 'Version 1',
    query: V1IdQuery,
    response: V1FinancialReport,
    also: [404],
  },
  {
    method: 'GET',
    path: `${BASE}/company/executives`,
    summary: 'Executives of a company',
    section: 'Version 1',
    query: V1CompanyExecutivesQuery,
    response: V1CompanyExecutivesResponse,
    also: [404],
  },
  {
    method: 'POST',
    path: `${BASE}/executives`,
    summary: 'Executives by filters',
    section: 'Version 1',
    body: V1ExecutivesRequest,
    response: V1ExecutivesResponse,
  },
  {
    method: 'GET',
    path: `${BASE}/executive/details`,
    summary: 'Executive details',
    section: 'Version 1',
    query: V1IdQuery,
    response: V1Executive,
    also: [404],
  },
  {
    method: 'POST',
    path: `${BASE}/tenders`,
    summary: 'Tenders by filters',
    section: 'Version 1',
    body: TendersRequest,
    response: TendersResponse,
  },
  {
    method: 'GET',
    path: `${BASE}/tenders/details`,
    summary: 'Tender details',
    section: 'Version 1',
    query: TenderDetailsQuery,
    response: TenderDetails,
    also: [404],
  },
  {
    method: 'GET',
    path: `${BASE}/tenders/nomenclatures`,
    summary: 'Lookup lists of tenders',
    section: 'Version 1',
    response: TenderNomenclatures,
  },
  { method: 'GET', path: `${BASE}/tenders/donors`, summary: 'Donors', section: 'Version 1', response: z.unknown() },
  {
    method: 'GET',
    path: `${BASE}/nomenclatures`,
    summary: 'Lookup lists',
    section: 'Version 1',
    response: Nomenclatures,
  },
  {
    method: 'POST',
    path: `${BASE}/nomenclatures`,
    summary: 'Lookup lists',
    section: 'Version 1',
    response: Nomenclatures,
  },
];
