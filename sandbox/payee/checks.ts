import { createHash } from 'node:crypto';
import type { PayeeDecision } from '../../schemas/v2/payee.js';
import type { Company } from '../../schemas/v2/company.js';
import { BoundedCache } from '../state/bounded-cache.js';
import type { PayeeCheckRequest } from './rules.js';

/** A completed check with its report. */
export interface PayeeCheck {
  id: number;
  decision: PayeeDecision;
  created_at: string;
  request: PayeeCheckRequest;
  account: { verified: boolean; name_match: 'FULL' | 'PARTIAL' | 'NONE' };
  company: { id: string; name: string; status: string; registration_number: string } | null;
  reasons: string[];
  has_kyp_report: boolean;
}

/** Accounts for tests. The last four characters of such an account decide the result of its check. */
export const SENTINEL_ACCOUNTS: Readonly<Record<string, PayeeDecision>> = {
  '9000': 'OK_TO_PAY',
  '9001': 'REVIEW_BEFORE_PAYING',
  '9002': 'DO_NOT_PAY',
};

const KEPT_BYTES = 16_000_000;

/** The most recent checks. A client can read a check again by its id. */
export class PayeeChecks {
  readonly #checks = new BoundedCache<number, PayeeCheck>(KEPT_BYTES);
  #count = 0;

  /**
   * Runs a check of an account for a company of the official register. `company` is null if the register does not
   * contain the company. The same account and company always give the same decision.
   */
  run(request: PayeeCheckRequest, company: Company | null, date: string): PayeeCheck {
    const draw = createHash('sha256').update(`${request.country_code}/${request.id}`).digest()[0]! / 256;
    const verified = draw < 0.9;
    const match = draw < 0.65 ? 'FULL' : draw < 0.85 ? 'PARTIAL' : 'NONE';
    const reasons = [
      ...(verified ? [] : ['account_not_confirmed']),
      ...(match === 'FULL' ? [] : [match === 'PARTIAL' ? 'name_differs_slightly' : 'name_does_not_match']),
      ...(company === null ? ['company_not_in_register'] : []),
      ...(company !== null && company.status !== 'Active' ? ['company_not_active'] : []),
    ];
    const check: PayeeCheck = {
      id: ++this.#count,
      decision: SENTINEL_ACCOUNTS[request.id.slice(-4)] ?? decide(reasons),
      created_at: `${date}T12:00:00Z`,
      request,
      account: { verified, name_match: match },
      company: company && {
        id: String(company.id),
        name: company.name ?? '',
        status: company.status ?? '',
        registration_number: company.registration_number ?? '',
      },
      reasons,
      has_kyp_report: true,
    };
    this.#checks.add(check.id, check, JSON.stringify(check).length * 2);
    return check;
  }

  get(id: number): PayeeCheck | undefined {
    return this.#checks.get(id);
  }
}

function decide(reasons: readonly string[]): PayeeDecision {
  if (reasons.length === 0) return 'OK_TO_PAY';
  const grave = ['account_not_confirmed', 'name_does_not_match', 'company_not_active'];
  return reasons.some((reason) => grave.includes(reason)) ? 'DO_NOT_PAY' : 'REVIEW_BEFORE_PAYING';
}
