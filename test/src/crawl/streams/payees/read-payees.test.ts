import { expect, it } from 'vitest';
import { readPayees } from '../../../../../src/crawl/streams/payees/read-payees.js';

const read = (...lines: string[]) => readPayees(Buffer.from(lines.join('\n')), 'list.csv');

it('guesses columns, schemes and countries, and keeps the cells of each row', () => {
  const { header, rows } = read(
    'No;Supplier;IBAN;BIC',
    '1;Firm;de89 3704 0044 0532 0130 00;COBADEFF',
    '2;Other;GB82WEST12345698765432;',
  );
  expect(header.columns).toEqual([undefined, 'name', 'id', 'holding_entity']);
  expect(header.ignored).toEqual(['No']);
  expect(rows).toEqual([
    {
      line: 2,
      cells: ['1', 'Firm', 'de89 3704 0044 0532 0130 00', 'COBADEFF'],
      value: {
        name: 'Firm',
        id: 'DE89370400440532013000',
        holding_entity: 'COBADEFF',
        id_scheme: 'IBAN_BICFI',
        country_code: 'DE',
      },
      problem: null,
    },
    expect.objectContaining({
      value: { name: 'Other', id: 'GB82WEST12345698765432', id_scheme: 'IBAN', country_code: 'GB' },
    }),
  ]);
});

it('takes a column id for the account only if no other column is', () => {
  expect(read('id,account', '7,123').rows[0]?.value?.id).toBe('123');
  expect(read('id,scheme', 'jane@firm.example,EMAL').rows[0]?.value?.id).toBe('jane@firm.example');
});

it('names line, field, rule and remedy of a wrong row, without its account, and reads on', () => {
  const { rows } = read('account,scheme,country', '99887766,ACNR,US', ',ACNR,US', '1,EMAL,SG');
  expect(rows.map(({ line, problem }) => [line, problem])).toEqual([
    [2, 'holding_entity: the scheme ACNR needs the code of the bank. Fill the column holding_entity'],
    [3, 'id: the row has no account. Fill in the account or the IBAN'],
    [4, null],
  ]);
  expect(rows[0]?.cells).toEqual(['99887766', 'ACNR', 'US']);
});

it('rejects a list without accounts, and one that names a column twice', () => {
  expect(() => read('name,country', 'A,DE')).toThrow('names no column that identifies a payee');
  expect(() => read('iban,iban', 'A,B')).toThrow('twice');
  expect(() => read('Account no,account_no', 'A,B')).toThrow('twice');
  expect(() => read('')).toThrow('is empty');
});
