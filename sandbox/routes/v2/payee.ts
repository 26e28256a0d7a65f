import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Company } from '../../../schemas/v2/company.js';
import type { PayeeCheck } from '../../payee/checks.js';
import { lacksBank, PayeeCheckBody, payeeFaults, type PayeeCheckRequest } from '../../payee/rules.js';
import { Refusal } from '../../http/errors.js';
import type { Sandbox } from '../../sandbox.js';
import { idOf } from '../../world/membership.js';
import { demand, pathId, spend } from './context.js';
import { bodyOf } from '../../http/validate.js';

/** Routes for payee checks. The reference shows no bodies; only the release notes state rules (payee/rules.ts). */
export function payeeRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/know-your-payee', async (request, reply) => {
    const body = demand(sandbox, PayeeCheckBody, bodyOf(request));
    const faults = payeeFaults(body);
    // The release notes state status 400 for a missing bank. The statuses of other errors come from the option
    // `--statuses`.
    if (lacksBank(body)) throw new Refusal(400, faults);
    if (Object.keys(faults).length > 0) throw sandbox.errors.invalid(faults);
    spend(sandbox, 'payee_checks');
    return reply.code(201).send(runCheck(sandbox, body));
  });

  app.get('/know-your-payee/:id', (request) => known(sandbox, request));

  app.post('/know-your-payee/:id', async (request, reply) => {
    const earlier = known(sandbox, request);
    spend(sandbox, 'payee_checks');
    return reply.code(201).send(runCheck(sandbox, earlier.request));
  });
}

function known(sandbox: Sandbox, request: FastifyRequest): PayeeCheck {
  const check = sandbox.payeeChecks.get(pathId(sandbox, request));
  if (check === undefined) throw sandbox.errors.notFound();
  return check;
}

function runCheck(sandbox: Sandbox, request: PayeeCheckRequest): PayeeCheck {
  return sandbox.payeeChecks.run(request, findCompany(sandbox, request), sandbox.date);
}

/**
 * Finds the company of a payee check: by id, else by registration number, else by name. If several companies in the
 * country have the name, returns the first.
 */
function findCompany({ world, day }: Sandbox, request: PayeeCheckRequest): Company | null {
  const { company_id, registration_number, name, country_code } = request;
  if (company_id !== undefined) return world.company(Number(company_id), day) ?? null;
  if (registration_number === undefined && name === undefined) return null;
  const asked = { country_code, ...(registration_number === undefined ? { name } : { registration_number }) };
  const index = world.matchingOverview(asked, day)[0];
  return index === undefined ? null : (world.company(idOf(world.ctx, index), day) ?? null);
}
