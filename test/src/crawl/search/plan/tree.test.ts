import { describe, expect, it } from 'vitest';
import { addPage, lostOf, missingOf, SegmentTree, type Segment } from '../../../../../src/crawl/search/plan/tree.js';

const page = (total: number, ids: string[]) => ({ total, totalPages: 1, ids });
const list = (tree: SegmentTree, segment: Segment, total: number, ids: string[]): void => {
  tree.note(ids);
  addPage(segment, page(total, ids));
};

describe('the tree of segments', () => {
  it('reuses the segment of the same window and separates other filters', () => {
    const tree = new SegmentTree({ country: 1 });
    const child = tree.child(tree.root, 'year', 2020, '2020');
    expect(child).toMatchObject({ id: 'root/year=2020', depth: 1, filters: { country: 1, year: 2020 } });
    expect(tree.child(tree.root, 'year', 2020, '2020')).toBe(child);
    const text = tree.child(tree.root, 'year', '2020', '2020');
    expect(text.id).toBe("root/year=2020'");
    expect(tree.child(tree.root, 'year', '2020', '2020')).toBe(text);
    expect(tree.child(tree.root, 'year', [2020], '2020').id).toBe("root/year=2020''");
    expect(tree.root.children).toHaveLength(3);
    expect(tree.child(child, 'form', 8, '8')).toMatchObject({
      id: 'root/year=2020/form=8',
      depth: 2,
      filters: { country: 1, year: 2020, form: 8 },
    });
    expect(tree.listing({ country: 1 })).toMatchObject({ id: 'root/v1', depth: 1, parent: tree.root });
  });

  it('adds what a segment found and cost to its parent', () => {
    const tree = new SegmentTree({});
    const year = tree.child(tree.root, 'year', 1, '1');
    const [a, b] = [tree.child(year, 'form', 1, '1'), tree.child(year, 'form', 2, '2')];
    list(tree, a, 2, ['1', '2']);
    list(tree, b, 2, ['2', '3']);
    list(tree, b, 3, ['4']);
    expect(b).toMatchObject({ total: 3, rows: 3, pages: 2, cost: 2, distinct: 3 });
    tree.settle(a, 'leaf');
    tree.settle(b, 'moved');
    expect(year).toMatchObject({ distinct: 4, cost: 3 });
    expect([a.found.size, a.distinct, b.distinct]).toEqual([0, 2, 3]);
    tree.settle(year, 'split');
    expect([...tree.root.found].toSorted((x, y) => Number(x) - Number(y))).toEqual(['1', '2', '3', '4']);
    expect(tree.root).toMatchObject({ distinct: 4, cost: 3 });
  });

  it('keeps the findings of a segment that is still needed', () => {
    const tree = new SegmentTree({});
    const year = tree.child(tree.root, 'year', 1, '1');
    const leaf = tree.child(year, 'form', 1, '1');
    leaf.kept = true;
    list(tree, leaf, 1, ['1']);
    tree.settle(leaf, 'leaf');
    expect([...leaf.found]).toEqual(['1']);
    year.found.add('2');
    expect([...leaf.found]).toEqual(['1']);
  });

  it('keeps the best proof of each company', () => {
    const tree = new SegmentTree({});
    const segments = ['truncated', 'leaf', 'moved', 'split'] as const;
    for (const [i, state] of segments.entries()) {
      const segment = tree.child(tree.root, 'k', i, String(i));
      list(tree, segment, 9, ['all', state]);
      tree.settle(segment, state);
    }
    expect(Object.fromEntries(tree.proofs)).toEqual({
      all: 'proven',
      truncated: 'unsplittable',
      leaf: 'proven',
      moved: 'moved',
    });
  });

  it('counts companies with unusable ids as listed but not as found', () => {
    const tree = new SegmentTree({});
    const leaf = tree.child(tree.root, 'k', 1, '1');
    list(tree, leaf, 2, ['1', '!unusable_id x']);
    tree.settle(leaf, 'leaf');
    expect(leaf).toMatchObject({ distinct: 2, unusable: 1 });
    expect(tree.root).toMatchObject({ distinct: 2, unusable: 1 });
    expect([...tree.proofs.keys()]).toEqual(['1']);
    expect(tree.records()).toMatchObject([{ distinct_companies: 1, state: 'unusable' }]);
  });

  it('lists settled segments in order of their ids', () => {
    const tree = new SegmentTree({});
    const [b, a] = [tree.child(tree.root, 'k', 2, 'b'), tree.child(tree.root, 'k', 1, 'a')];
    tree.child(tree.root, 'k', 3, 'c');
    list(tree, a, 5, ['1']);
    a.splitBy.push('year', 'form');
    tree.settle(b, 'leaf');
    tree.settle(a, 'truncated');
    expect(tree.records()).toEqual([
      {
        segment: 'root/k=a',
        parent: 'root',
        filters: { k: 1 },
        total_reported: 5,
        rows_fetched: 1,
        distinct_companies: 1,
        pages: 1,
        depth: 1,
        state: 'truncated',
        split_by: 'year, form',
      },
      expect.objectContaining({ segment: 'root/k=b', state: 'leaf', split_by: null }),
    ]);
  });
});

it('computes what a segment misses, and what no child covers', () => {
  const tree = new SegmentTree({});
  addPage(tree.root, page(10, ['1', '2', '3']));
  expect([missingOf(tree.root), lostOf(tree.root)]).toEqual([7, 7]);
  const [child, probe] = [tree.child(tree.root, 'k', 1, '1'), tree.child(tree.root, 'k', 2, '2')];
  addPage(child, page(5, ['1']));
  addPage(probe, page(9, []));
  probe.state = 'calibration';
  expect(lostOf(tree.root)).toBe(3);
  addPage(child, page(50, []));
  expect(lostOf(tree.root)).toBe(0);
  addPage(tree.root, page(2, []));
  expect(missingOf(tree.root)).toBe(0);
});
