import { describe, expect, it } from 'vitest';

import { V1FinancialReport } from '../../schemas/v1/financial-report.js';
import { Company } from '../../schemas/v2/company.js';
import { FinancialReport } from '../../schemas/v2/financial-report.js';
import { ProspectingPage } from '../../schemas/v2/prospecting.js';
import { readLeniently } from '../../schemas/v2/read-leniently.js';

describe('reading with wrong fields', () => {
  it('removes a wrong field and keeps unknown ones', () => {
    const sent = { id: 1, name: 7, size: null, company_phone: ['1', 2], mood: 'good', ['__proto__']: 1 };
    const read = readLeniently(Company, sent);
    expect(read).toMatchObject({ fits: true, value: { id: 1, size: null, mood: 'good' } });
    expect(Object.keys(read.fits ? read.value : {})).toEqual(['id', 'size', 'mood', '__proto__']);
    expect(read.misfits.map(({ path, value }) => [path, value])).toEqual([
      [['name'], 7],
      [['company_phone'], ['1', 2]],
    ]);
  });

  it('adds no field that was not sent', () => {
    expect(readLeniently(Company, { id: 1 })).toEqual({ fits: true, value: { id: 1 }, misfits: [] });
  });

  it('rejects an object without a required field', () => {
    expect(readLeniently(Company, { name: 'A' })).toMatchObject({ fits: false, misfits: [{ path: ['id'] }] });
    expect(readLeniently(Company.partial(), { id: null, name: 'A' })).toMatchObject({ value: { name: 'A' } });
  });

  it('removes wrong years and indicators of a financial report', () => {
    const read = readLeniently(FinancialReport, { 2024: { Cash: 1, EBITDA: {} }, 2025: 'none', note: {} });
    expect(read).toMatchObject({ value: { 2024: { Cash: 1 } } });
    expect(read.misfits.map(({ path }) => path.join('.'))).toEqual(['2024.EBITDA', '2025', 'note']);
  });

  it('removes wrong reports of a list', () => {
    const good = { date: 20241231, indicators: {} };
    const read = readLeniently(V1FinancialReport, { reports: [{ date: 'x', indicators: {} }, good], country: 'DK' });
    expect(read).toMatchObject({
      value: { reports: [good], country: 'DK' },
      misfits: [{ path: ['reports', 0, 'date'] }],
    });
  });
});

it('keeps the id of an item with a wrong name, and reads an item without an id as null', () => {
  const page = { total_companies: '3', total_pages: 1, data: [{ id: 1, name: 2, x: 3 }, { name: 'B' }, null] };
  expect(ProspectingPage.parse(page)).toEqual({
    total_companies: 3,
    total_pages: 1,
    data: [{ id: 1, x: 3 }, null, null],
  });
  expect(readLeniently(ProspectingPage, page).misfits.map(({ path }) => path.join('.'))).toEqual([
    'data.0.name',
    'data.1.id',
  ]);
});
