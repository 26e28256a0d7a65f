import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categoricalField } from '../../../../../src/crawl/search/plan/split-field.js';
import { halve, Shape } from '../../../../../src/crawl/search/plan/shape.js';

/** Ten positions of equal width. */
const splitField = categoricalField({ kind: 'categorical', key: 'k', values: [] }, [...Array(10).keys()], true);
const shape = new Shape(splitField, [
  { from: 0, to: 4, count: 75 },
  { from: 5, to: 9, count: 25 },
]);

describe('the shape of a distribution', () => {
  it('spreads a count evenly over the positions of its window', () => {
    expect(shape.mass(0, 9)).toBeCloseTo(1);
    expect(shape.mass(0, 4)).toBeCloseTo(0.75);
    expect(shape.mass(5, 9)).toBeCloseTo(0.25);
    expect(shape.mass(0, 0)).toBeCloseTo(0.15);
    expect(shape.mass(4, 5)).toBeCloseTo(0.2);
    expect(shape.mass(9, 9)).toBeCloseTo(0.05);
    expect(shape.mass(5, 4)).toBe(0);
    expect(shape.mass(9, 0)).toBe(0);
  });

  it('finds how far a share reaches, if any position fits', () => {
    expect(shape.reach(0, 0.31)).toBe(1);
    expect(shape.reach(0, 0.76)).toBe(4);
    expect(shape.reach(5, 0.11)).toBe(6);
    expect(shape.reach(5, 1)).toBe(9);
    expect(shape.reach(0, 0.1)).toBe(-1);
  });

  it('gives an empty window a small weight', () => {
    const lopsided = new Shape(splitField, [
      { from: 0, to: 4, count: 0 },
      { from: 5, to: 9, count: 1_000 },
    ]);
    expect(lopsided.mass(0, 4)).toBeGreaterThan(0);
    expect(lopsided.mass(0, 4)).toBeLessThan(0.001);
    const empty = new Shape(splitField, [
      { from: 0, to: 1, count: 0 },
      { from: 2, to: 9, count: 0 },
    ]);
    expect(empty.mass(0, 1)).toBeCloseTo(0.5);
  });

  it('reaches exactly as far as the share allows', () => {
    const position = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(position, fc.double({ min: 0, max: 1, noNaN: true }), (from, share) => {
        const to = shape.reach(from, share);
        expect(shape.mass(from, to)).toBeLessThanOrEqual(share + 1e-9);
        if (to < 9) expect(shape.mass(from, to + 1)).toBeGreaterThan(share - 1e-9);
      }),
    );
  });
});

it('halves a window by its coordinates into two parts', () => {
  expect(halve(splitField, { from: 0, to: 9 })).toBe(4);
  expect(halve(splitField, { from: 2, to: 3 })).toBe(2);
  expect(halve(splitField, { from: 2, to: 4 })).toBe(2);
  const steep = { ...splitField, coord: (position: number) => 2 ** position };
  expect(halve(steep, { from: 0, to: 9 })).toBe(8);
  const flat = { ...splitField, coord: (position: number) => -(2 ** -position) };
  expect(halve(flat, { from: 0, to: 9 })).toBe(0);
  expect(halve({ ...splitField, coord: () => 0 }, { from: 0, to: 9 })).toBe(8);
});
