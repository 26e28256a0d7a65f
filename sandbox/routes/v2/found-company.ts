import type { Company } from '../../../schemas/v2/company.js';
import type { Sandbox } from '../../sandbox.js';
import type { Context } from '../../world/context.js';
import { idOf } from '../../world/membership.js';
import { isSpelledAs } from '../../world/registration.js';

/**
 * Returns the current record of a company that a lookup found.
 *
 * @throws Refusal with the "not found" body when there is no company
 */
export function companyAt({ world, day, errors }: Sandbox, index: number | 'none' | undefined): Company {
  const company = typeof index === 'number' ? world.company(idOf(world.ctx, index), day) : undefined;
  if (company === undefined) throw errors.notFound('No company was found.');
  return company;
}

/**
 * Returns whether the registration and VAT numbers in a request are current numbers of the company. This check is
 * needed because a lookup also finds a company by an earlier number.
 */
export function holdsNumbers(
  ctx: Context,
  company: Company,
  asked: { registration_number?: string | undefined; vat_number?: string | undefined },
): boolean {
  const { registration_number, vat_number } = asked;
  return (
    (registration_number === undefined || registration_number.trim().toUpperCase() === company.registration_number) &&
    (vat_number === undefined || isSpelledAs(ctx, vat_number, company.vat_number))
  );
}
