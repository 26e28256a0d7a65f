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
 * Accepts `phone_number`: the reference's error lists it as an identifying field, although its table of fields does
 * not.
 */
const Request = AutocompleteRequest.extend({ phone_number: z.string().optional() });
// Section "Errors", "Autocomplete field error". Section "Autocomplete" is milder: only a lone `country_code` fails.
const FIVE = ['name', 'registration_number', 'vat_number', 'website', 'phone_number'];
const REQUIRED = `At least one of ${FIVE.join(', ')} is required besides the country.`;

/** Section "Autocomplete": the first company, by id, that matches all given fields. */
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
    if (fits !== true || !holdsNumbers(company, body)) throw sandbox.errors.notFound('No company was found.');
    return company;
  });
}
