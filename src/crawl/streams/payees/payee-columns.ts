import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { ColumnNames } from '../../../base/csv/columns.js';

/** Meaning of a column in a list of payees. */
export type PayeeField = keyof Payee;

const NAMES: Record<PayeeField, readonly string[]> = {
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

/** What the columns of a list of payees mean. */
export const PAYEE_COLUMNS: ColumnNames<PayeeField> = {
  names: NAMES,
  lastNames: { id: ['id'] },
  identifying: ['id'],
  what: 'a payee',
  remedy:
    'Add a column iban, account_number or account; see "Lists for tidemark payees check" in docs/configuration.md.',
};
