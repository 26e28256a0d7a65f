import type { FastifyInstance } from 'fastify';
import type { Company } from '../../../schemas/v2/company.js';
import { EnrichCompanyPronetRequest, EnrichCompanyRequest, EnrichUrlRequest } from '../../../schemas/v2/enrichment.js';
import type { Sandbox } from '../../sandbox.js';
import { indexOfAddress } from '../../world/contacts.js';
import { indexByIdentifiers } from '../../world/lookups.js';
import { demand, spend } from './context.js';
import { companyAt, holdsNumbers } from './found-company.js';
import { bodyOf } from '../../http/validate.js';

/**
 * Routes for companies in the reference's section "Enrichment". They find a company by website, profile address or
 * registration identifiers.
 */
export function companyEnrichmentRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/enrichment/url', (request): Company => {
    const { url } = demand(sandbox, EnrichUrlRequest, bodyOf(request));
    spend(sandbox, 'enrichment');
    const { status: _absent, ...company } = companyAt(sandbox, indexOfAddress(sandbox.world.ctx, url));
    // `status` is left out: the reference says that it is "absent in some enrichment responses".
    return company;
  });

  app.post('/enrichment/company/pronet', (request): Company => {
    const { pronet } = demand(sandbox, EnrichCompanyPronetRequest, bodyOf(request));
    spend(sandbox, 'enrichment');
    return companyAt(sandbox, indexOfAddress(sandbox.world.ctx, pronet));
  });

  app.post('/enrichment/company', (request): Company => {
    const body = demand(sandbox, EnrichCompanyRequest, bodyOf(request));
    const index = indexByIdentifiers(sandbox.world.ctx, {
      registrationNumber: body.registration_number,
      vatNumber: body.vat_number,
      ticker: body.ticker,
    });
    if (index === undefined) {
      const message = 'One of registration_number, vat_number or ticker is required.';
      throw sandbox.errors.invalid({ registration_number: [message] });
    }
    spend(sandbox, 'enrichment');
    const company = companyAt(sandbox, index);
    const fits =
      company.country_code === body.country_code.toUpperCase() &&
      (body.state === undefined || company.country_region?.toLowerCase() === body.state.trim().toLowerCase());
    if (!fits || !holdsNumbers(sandbox.world.ctx, company, body)) throw sandbox.errors.notFound();
    return company;
  });
}
