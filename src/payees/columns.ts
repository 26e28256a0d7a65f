import type { Payee } from '../../schemas/pipeline/payees.js';

export type PayeeField = keyof Payee;

/** What the columns of a list mean. */
export interface PayeeColumns {
  /** Field of each column; undefined for a column that is not sent. */
  fields: (PayeeField | undefined)[];
  /** Pairs of a column's name and its field, for people. */
  meanings: [column: string, field: PayeeField][];
  ignored: string[];
}

/** Column names that people use. Case, spaces and punctuation make no difference. */
const NAMES: Record<PayeeField, string[]> = {
  country_code: ['countrycode', 'country', 'iso', 'iso2', 'bankcountry', 'accountcountry'],
  id_scheme: ['idscheme', 'scheme', 'accountscheme'],
  id: ['account', 'accountnumber', 'accountno', 'accountid', 'bankaccount', 'iban', 'proxy', 'proxyid'],
  holding_entity: [
    'holdingentity',
    'bankcode',
    'bankid',
    'bic',
    'bicfi',
    'swift',
    'swiftcode',
    'swiftbic',
    'bicswift',
    'sortcode',
    'routingnumber',
    'bsb',
    'clearingcode',
    'branchcode',
    'cnaps',
    'zancc',
    'brbkbr',
  ],
  identity_type: ['identitytype', 'idtype', 'taxidtype'],
  identity_value: ['identityvalue', 'identity', 'identitynumber', 'taxid', 'nationalid'],
  company_id: ['companyid'],
  registration_number: ['registrationnumber', 'registrationno', 'regno', 'regnumber', 'companynumber', 'registration'],
  name: [
    'name',
    'payee',
    'payeename',
    'company',
    'companyname',
    'legalname',
    'accountname',
    'supplier',
    'vendor',
    'beneficiary',
  ],
};

/** Guesses what the columns mean from their names. A column `id` is the account only if no other column is. */
export function readColumns(names: readonly string[]): PayeeColumns {
  const guessed = names.map(fieldNamed);
  const hasAccount = guessed.includes('id');
  const fields = names.map((name, i) => guessed[i] ?? (!hasAccount && plain(name) === 'id' ? 'id' : undefined));
  return {
    fields,
    meanings: names.flatMap((name, i): [string, PayeeField][] => (fields[i] === undefined ? [] : [[name, fields[i]]])),
    ignored: names.filter((_, i) => fields[i] === undefined),
  };
}

function fieldNamed(name: string): PayeeField | undefined {
  return (Object.keys(NAMES) as PayeeField[]).find((field) => NAMES[field].includes(plain(name)));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
