import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AutocompleteRequest } from '../../../schemas/v2/autocomplete.js';
import type { Company } from '../../../schemas/v2/company.js';
import type { Sandbox } from '../../sandbox.js';
import { indexByIdentifiers } from '../../world/lookups.js';
import { demand, spend } from './context.js';
import { companyAt, holdsNumbers } from './found-company.js';
import { bodyOf } from '../../http/validate.js';

/**
 * Also accepts `phone_number`. An error text in the reference lists it as an identifying field, but the table of fields
 * does not.
 */
const Request = AutocompleteRequest.extend({ phone_number: z.string().optional() });
// The fields that identify a company, as listed in the reference's section "Errors". The section "Autocomplete" says
// otherwise: there, any field except `country_code` is enough.
const FIVE = ['name', 'registration_number', 'vat_number', 'website', 'phone_number'];
const REQUIRED = `At least one of ${FIVE.join(', ')} is required in addition to the country.`;

/**
 * Route of the reference's section "Autocomplete". Returns the company with the lowest id that matches all given
 * fields.
 */
export function autocompleteRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/autocomplete', (request): Company => {
    const body = demand(sandbox, Request, bodyOf(request));
    const { country_code, ...identifying } = body;
    const needed = sandbox.options.autocompleteNeeds === 'five' ? FIVE : Object.keys(identifying);
    if (!needed.some((field) => field in identifying)) throw sandbox.errors.autocomplete([REQUIRED]);
    spend(sandbox, 'autocomplete');
    const { world, day } = sandbox;
    const index = indexByIdentifiers(world.ctx, {
      registrationNumber: body.registration_number,
      vatNumber: body.vat_number,
      ticker: body.ticker,
      addresses: [body.website, body.email?.replace(/^.*@/, ''), body.pronet].filter(
        (address) => address !== undefined,
      ),
    });
    const { name, phone_number } = body;
    const searched = {
      ...(country_code === undefined ? {} : { country_code }),
      ...(name === undefined ? {} : { name }),
      ...(phone_number === undefined ? {} : { phone_number }),
    };
    if (index === undefined) return companyAt(sandbox, world.matchingOverview(searched, day)[0]);
    const company = companyAt(sandbox, index);
    const fits =
      (country_code === undefined || company.country_code === country_code.toUpperCase()) &&
      (name === undefined || company.name?.toLowerCase().includes(name.trim().toLowerCase())) &&
      (phone_number === undefined || company.company_phone?.includes(phone_number));
    if (fits !== true || !holdsNumbers(world.ctx, company, body))
      throw sandbox.errors.notFound('No company was found.');
    return company;
  });
}
