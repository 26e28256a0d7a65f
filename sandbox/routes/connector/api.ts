import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import {
  CompanyIdRequest,
  CompanyByPronetRequest,
  CompanyByUrlRequest,
  CompanyFinancialsRequest,
  ConnectorAutocompleteRequest,
  ConnectorProspectingRequest,
  NomenclatureRequest,
  VerifyTokenRequest,
} from '../../../schemas/connector/company-data.js';
import { nomenclatureOf } from '../../connector/nomenclature.js';
import { demandPart } from '../../connector/validation.js';
import { innerRequests, type InnerRequest } from '../../http/inner.js';
import type { Sandbox } from '../../sandbox.js';

const WRONG_KEY = { detail: 'Invalid API key.' };

/**
 * Connector routes for company data. The API key is in the body. The reference does not show their answers. Each route
 * returns the body of its version 2 call, also for an error. The status is always 200, or 422 for a body of the wrong
 * shape: the reference states no other status.
 *
 * A wrong API key gets `{detail}`. Only `/api/verify-token` answers a wrong API key with `{valid: false}`.
 */
export function connectorApiRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/api/verify-token', (request) => {
    const { api_key } = demandPart(VerifyTokenRequest, 'body', request.body);
    return { valid: sandbox.keys.find(api_key) !== undefined };
  });

  const ask = innerRequests(app);

  /** @param inner makes the version 2 request that answers the route */
  function forward<T extends z.ZodObject<{ api_key: z.ZodString }>>(
    path: string,
    schema: T,
    inner: (body: z.infer<T>) => InnerRequest,
  ): void {
    app.post(path, async (request, reply) => {
      const body = demandPart(schema, 'body', request.body);
      const { api_key } = body as { api_key: string };
      if (!sandbox.keys.find(api_key)) return WRONG_KEY;
      return reply.type('application/json; charset=utf-8').send(await ask(inner(body), api_key));
    });
  }

  forward('/api/company-by-url', CompanyByUrlRequest, ({ url }) => ({
    method: 'POST',
    url: '/v2/enrichment/url',
    payload: { url },
  }));
  forward('/api/company-by-pronet', CompanyByPronetRequest, ({ pronet_url }) => ({
    method: 'POST',
    url: '/v2/enrichment/company/pronet',
    payload: { pronet: pronet_url },
  }));
  forward('/api/company-financials', CompanyFinancialsRequest, ({ company_id, year }) => ({
    method: 'GET',
    url: `/v2/financial/${encodeURIComponent(company_id)}?year=${year}`,
  }));
  forward('/api/autocomplete', ConnectorAutocompleteRequest, ({ api_key: _key, ...fields }) => ({
    method: 'POST',
    url: '/v2/autocomplete',
    payload: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)),
  }));
  // `sorting` is accepted and ignored, because version 2 cannot sort.
  forward('/api/prospecting', ConnectorProspectingRequest, ({ page, per_page, filters }) => ({
    method: 'POST',
    url: '/v2/prospecting',
    payload: { page, per_page, filters: filters ?? {} },
  }));
  forward('/api/company-details', CompanyIdRequest, ({ company_id }) => ({
    method: 'GET',
    url: `/v2/companies/${encodeURIComponent(company_id)}`,
  }));
  forward('/api/company-ownership', CompanyIdRequest, ({ company_id }) => ({
    method: 'GET',
    url: `/v2/kyb/${encodeURIComponent(company_id)}/ubo`,
  }));

  app.post('/api/nomenclature', (request) => {
    const { api_key, nomenclature_type, parent } = demandPart(NomenclatureRequest, 'body', request.body);
    if (!sandbox.keys.find(api_key)) return WRONG_KEY;
    const items = nomenclatureOf(nomenclature_type, parent ?? null);
    if (items === null) return { detail: `There is no nomenclature "${nomenclature_type}".` };
    return { nomenclature_type, parent: parent ?? null, items };
  });
}
