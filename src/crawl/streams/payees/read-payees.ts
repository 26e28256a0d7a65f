import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { ListField } from '../../../base/csv/columns.js';
import { readRows, type Fields, type Row, type Rows } from '../../../base/csv/read-rows.js';
import { compact, isIban } from './iban.js';
import { isBic, payeeFault, takesIban } from './rules.js';

type PayeeField = keyof Payee;

/** A row of a list. Its problem names the field, the broken rule and what to do, without account numbers. */
export type PayeeRow = Row<Payee>;

/** A list of payees. */
export type PayeeList = Rows<PayeeField, Payee>;

const FIELDS: Record<PayeeField, ListField> = {
  country_code: { names: 'countrycode country iso iso2 bankcountry accountcountry' },
  id_scheme: { names: 'idscheme scheme accountscheme' },
  id: {
    names: 'account accountnumber accountno accountid bankaccount iban proxy proxyid',
    lastNames: 'id',
    identifies: true,
  },
  holding_entity: {
    names:
      'holdingentity bankcode bankid bic bicfi swift swiftcode swiftbic bicswift sortcode routingnumber bsb clearingcode branchcode cnaps zancc brbkbr',
  },
  identity_type: { names: 'identitytype idtype taxidtype' },
  identity_value: { names: 'identityvalue identity identitynumber taxid nationalid' },
  company_id: { names: 'companyid' },
  registration_number: { names: 'registrationnumber registrationno regno regnumber companynumber registration' },
  name: { names: 'name payee payeename company companyname legalname accountname supplier vendor beneficiary' },
};

/** Reads the payees of a CSV file (see `readRows`). Applies the rules of the reference to each row. */
export function readPayees(file: Buffer, name: string): PayeeList {
  return readRows<PayeeField, Payee>(file, name, {
    fields: FIELDS,
    what: 'a payee',
    remedy:
      'Add a column iban, account_number or account; see "Lists for tidemark payees check" in docs/configuration.md.',
    meaningOf(fields) {
      const payee = normalised(fields);
      if (payee.id === '') return { problem: 'id: the row has no account. Fill in the account or the IBAN' };
      const fault = payeeFault(payee);
      if (fault === null) return { value: payee };
      return { problem: `${fault.field}: ${fault.rule}. ${fault.todo.replace(/\.$/, '')}` };
    },
  });
}

/**
 * Writes codes in upper case and an IBAN without spaces. If a row has no scheme and its account is an IBAN, sets the
 * scheme: IBAN_BICFI if the row has a BIC, else IBAN. If the country is missing, takes it from the first two letters of
 * the IBAN.
 */
function normalised({ id = '', id_scheme, country_code, identity_type, ...rest }: Fields<PayeeField>): Payee {
  const guessed = isIban(id) ? (isBic(rest.holding_entity ?? '') ? 'IBAN_BICFI' : 'IBAN') : undefined;
  const scheme = id_scheme?.toUpperCase() ?? guessed;
  const iban = scheme !== undefined && takesIban(scheme) && isIban(id) ? compact(id) : undefined;
  const country = country_code?.toUpperCase() ?? iban?.slice(0, 2);
  return {
    ...rest,
    ...(scheme === undefined ? {} : { id_scheme: scheme }),
    ...(country === undefined ? {} : { country_code: country }),
    ...(identity_type === undefined ? {} : { identity_type: identity_type.toUpperCase() }),
    id: iban ?? id,
  };
}
