import type { Payee } from '../../../../schemas/pipeline/payees.js';
import { readRows, type Fields, type Row, type RowKind, type Rows } from '../../../base/csv/read-rows.js';
import { compact, isIban } from './iban.js';
import { PAYEE_COLUMNS, type PayeeField } from './payee-columns.js';
import { isBic, payeeFault, takesIban } from './rules.js';

/** A row of a list. Its problem names the field, the broken rule and what to do, without account numbers. */
export type PayeeRow = Row<Payee>;

/** A list of payees. */
export type PayeeList = Rows<PayeeField, Payee>;

/** Applies the rules of the reference to each row. */
const PAYEES: RowKind<PayeeField, Payee> = {
  ...PAYEE_COLUMNS,
  normalize: Object.fromEntries(
    Object.keys(PAYEE_COLUMNS.names).map((field) => [field, (cell: string) => cell.trim()]),
  ) as Record<PayeeField, (cell: string) => string>,
  meaningOf(fields) {
    const payee = normalised(fields);
    if (payee.id === '') return { problem: 'id: the row has no account. Fill in the account or the IBAN' };
    const fault = payeeFault(payee);
    if (fault === null) return { value: payee };
    return { problem: `${fault.field}: ${fault.rule}. ${fault.todo.replace(/\.$/, '')}` };
  },
};

/** Reads the payees of a CSV file (see `readRows`). */
export function readPayees(file: Buffer, name: string): PayeeList {
  return readRows(file, name, PAYEES);
}

/**
 * Writes codes in upper case and an IBAN without spaces. If a row has no scheme and its account is an IBAN, sets the
 * scheme: IBAN_BICFI if the row has a BIC, else IBAN. If the country is missing, takes it from the first two letters of
 * the IBAN.
 */
function normalised(payee: Fields<PayeeField>): Payee {
  const { id = '', holding_entity } = payee;
  const guessed = isIban(id)
    ? holding_entity !== undefined && isBic(holding_entity)
      ? 'IBAN_BICFI'
      : 'IBAN'
    : undefined;
  const scheme = payee.id_scheme?.toUpperCase() ?? guessed;
  const iban = scheme !== undefined && takesIban(scheme) && isIban(id);
  const country = payee.country_code?.toUpperCase() ?? (iban ? compact(id).slice(0, 2) : undefined);
  return {
    ...payee,
    ...(scheme === undefined ? {} : { id_scheme: scheme }),
    ...(country === undefined ? {} : { country_code: country }),
    ...(payee.identity_type === undefined ? {} : { identity_type: payee.identity_type.toUpperCase() }),
    id: iban ? compact(id) : id,
  };
}
