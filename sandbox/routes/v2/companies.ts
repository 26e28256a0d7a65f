import type { FastifyInstance } from 'fastify';
import type { Company } from '../../../schemas/v2/company.js';
import type { Sandbox } from '../../sandbox.js';
import { pathId, spend } from './context.js';

/** Route of the reference's section "Company details". */
export function companyRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/companies/:id', (request): Company => {
    const id = pathId(sandbox, request);
    spend(sandbox, 'company_details');
    const company = sandbox.world.company(id, sandbox.day);
    if (company === undefined) throw sandbox.errors.notFound();
    return company;
  });
}
