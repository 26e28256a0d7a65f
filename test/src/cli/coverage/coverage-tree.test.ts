import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CoverageGap } from '../../../../schemas/pipeline/landing.js';
import { buildTree, renderTree, type SegmentRow } from '../../../../src/cli/coverage/coverage-tree.js';

const plain = (text: string): string => text;
const paint = { green: plain, yellow: plain, dim: plain };

const row = (segment: string, total: number, found = total, more: Partial<SegmentRow> = {}): SegmentRow => ({
  segment,
  parent: segment.includes('/') ? segment.slice(0, segment.lastIndexOf('/')) : null,
  filters: {},
  total_reported: total,
  distinct_companies: found,
  pages: Math.ceil(total / 25),
  state: 'leaf',
  split_by: null,
  ...more,
});

const rows = [
  row('root', 3_000, 1_500, { state: 'remainder', split_by: 'company_status' }),
  row('root/company_status=199', 2_700, 1_200, { state: 'remainder', split_by: 'legal_form' }),
  row('root/company_status=199/legal_form=2..9', 200),
  row('root/company_status=199/legal_form=10', 250, 240, { state: 'moved' }),
  row('root/company_status=199/legal_form=13', 2_000, 250, { state: 'truncated' }),
  row('root/company_status=199/legal_form=15', 240),
  row('root/company_status=200', 300, 300, { state: 'split', split_by: 'legal_form' }),
  row('root/company_status=200/legal_form=2', 100),
  row('root/company_status=200/legal_form=13', 200),
  row('root/number_of_employees=0..5', 1_000, 25, { state: 'calibration' }),
];
const gaps: CoverageGap[] = [
  {
    segment: 'root/company_status=199/legal_form=13',
    filters: { company_status: [199], legal_form: [13] },
    missing: 1_750,
    reason: 'above the page cap and nothing splits it further',
    code: 'page_cap',
    values: { total: 2_000, most: 250 },
    class: 'unsplittable',
  },
];
const draw = (all: boolean, segments = rows, why = gaps, width = Infinity): string[] => {
  const root = buildTree(segments, why);
  return root
    ? renderTree(root, { all, paint, width, codes: [{ list: 'company_status', id: 199, name: 'Active' }] })
    : [];
};

describe('the coverage tree of a market', () => {
  it('counts proven segments and shows every gap with filters and count', () => {
    expect(draw(false)).toEqual([
      '✗ root  1,500 of 3,000  remainder  split by company_status',
      '├─ ✔ 2 segments proven: 300 companies on 12 pages',
      '└─ ✗ company_status=199  1,200 of 2,700  remainder  split by legal_form',
      '   ├─ ✔ 2 segments proven: 440 companies on 18 pages',
      '   ├─ ~ legal_form=10  240 of 250  moved',
      '   └─ ✗ legal_form=13  250 of 2,000  truncated',
      '         1,750 missing, unsplittable: above the page cap and nothing splits it further',
      '         search: status Active (199), legal form 13',
      '         filters {"company_status":[199],"legal_form":[13]}',
    ]);
  });

  it('wraps the coverage tree to the terminal without losing a word', () => {
    const lines = draw(false, rows, gaps, 60);
    const words = lines
      .join(' ')
      .replaceAll(/[│├└─✔✗~]/g, ' ')
      .split(/ +/)
      .join(' ');
    expect(words).toContain('1,750 missing, unsplittable: above the page cap and nothing splits it further');
    expect(words).toContain('filters {"company_status":[199],"legal_form":[13]}');
    const told = lines.slice(lines.findIndex((text) => text.includes('1,750')));
    expect(Math.max(...told.map((text) => text.length))).toBeLessThanOrEqual(60);
  });

  it('marks a short segment as missing only below a gap', () => {
    const deep = [...rows, row('root/company_status=199/legal_form=13/a=1', 2_000, 250, { state: 'remainder' })];
    expect(draw(false, deep).join('\n')).toMatch(/✗ a=1 {2}250 of 2,000 {2}remainder/);
    expect(draw(false, deep, []).join('\n')).toMatch(/~ a=1/);
  });

  it('shows every segment but no calibration with `all`', () => {
    const lines = draw(true);
    expect(lines.filter((text) => /[✔~✗]/.test(text))).toHaveLength(rows.length - 1);
    expect(lines.join('\n')).not.toMatch(/number_of_employees/);
  });

  it('shows one line below the root when everything is proven', () => {
    const whole = [
      row('root', 300, 300, { state: 'split', split_by: 'legal_form' }),
      row('root/a=1', 100),
      row('root/a=2', 200),
    ];
    expect(draw(false, whole, [])).toEqual([
      '✔ root  300 of 300  split by legal_form',
      '└─ ✔ 2 segments proven: 300 companies on 12 pages',
    ]);
  });

  it('reports a gap of unknown size, and draws nothing without a root', () => {
    const uncounted = [{ ...gaps[0]!, segment: 'root', missing: 0 }];
    expect(draw(false, [row('root', 10)], uncounted).join('\n')).toMatch(/unknown number missing/);
    expect(draw(false, [], gaps)).toEqual([]);
  });

  it('shows each gap exactly once', () => {
    const path = fc
      .array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 })
      .map((steps) => ['root', ...steps].join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1 }), fc.nat(), (paths, pick) => {
        const all = new Set(
          paths.flatMap((leaf) => leaf.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))),
        );
        const where = [...all][pick % all.size]!;
        const lines = draw(
          false,
          [...all].map((segment) => row(segment, 10)),
          [{ ...gaps[0]!, segment: where }],
        );
        expect(lines.filter((text) => text.includes('1,750 missing'))).toHaveLength(1);
        expect(lines[0]).toMatch(/^✗ root/);
      }),
    );
  });
});
