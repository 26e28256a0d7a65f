import { describe, expect, it } from 'vitest';
import { V1FinancialReport } from '../../schemas/v1/financial-report.js';
import { TenderDetails } from '../../schemas/v1/tender.js';
import { Company } from '../../schemas/v2/company.js';
import { reshape } from '../../schemas/v2/empty-shapes.js';
import { FinancialReport } from '../../schemas/v2/financial-report.js';
import { MetricsReading } from '../../schemas/v2/metrics.js';
import { readLeniently } from '../../schemas/v2/read-leniently.js';

describe('reshape', () => {
  it.each([[], '', ' ', null, false, [[]], [{}], [null], { data: [] }, { data: {} }, { data: null }, { data: false }])(
    'reads %j as an empty map',
    (empty) => {
      expect(reshape(FinancialReport, empty)).toEqual({});
      expect(readLeniently(FinancialReport, empty)).toEqual({ fits: true, value: {}, misfits: [] });
    },
  );

  it.each([[[]], [''], [false], [null]])('reads the year %j as a year without values', (empty) => {
    expect(reshape(FinancialReport, { 2023: empty, 2022: { Cash: 1 } })).toEqual({ 2023: {}, 2022: { Cash: 1 } });
  });

  it.each([{}, '', false, ' '])('reads %j as an empty list', (empty) => {
    expect(reshape(Company, { id: 1, industry: empty, company_phone: empty, sic: empty })).toEqual({
      id: 1,
      industry: [],
      company_phone: [],
      sic: [],
    });
    expect(reshape(V1FinancialReport, { reports: empty })).toEqual({ reports: [] });
    expect(reshape(MetricsReading, empty)).toEqual([]);
  });

  it('reads a list with gaps, also within lists', () => {
    const report = { date: 20231231, indicators: [] };
    expect(reshape(V1FinancialReport, { reports: { 0: report, 2: report } })).toEqual({
      reports: [
        { date: 20231231, indicators: {} },
        { date: 20231231, indicators: {} },
      ],
    });
  });

  it('reads empty contacts of a tender in another shape', () => {
    expect(reshape(TenderDetails, { slug: 'a', contacts: [], donors: {}, attachments: '' })).toEqual({
      slug: 'a',
      contacts: {},
      donors: [],
      attachments: [],
    });
  });

  it.each([
    [Company, { id: 1, industry: null, name: '', size: null }],
    [FinancialReport, { 2023: { Cash: 0, Currency: '' } }],
    [FinancialReport, 7],
    [FinancialReport, [1]],
    [FinancialReport, { data: [1] }],
    [Company, { id: 1, industry: { a: 1 } }],
    [Company, { id: 1, industry: 'none' }],
    [MetricsReading, 0],
  ])('changes nothing else', (schema, value) => {
    expect(reshape(schema, value)).toBe(value);
  });
});
