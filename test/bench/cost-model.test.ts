import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitCost, predictCost, type Observation } from '../../bench/scale/cost-model.js';

const SIZES = [20_000, 200_000, 1_000_000];
const observe = (cost: (searched: number, fetched: number) => number): Observation<'searched' | 'fetched', 'cost'>[] =>
  SIZES.flatMap((size) =>
    [
      { searched: size, fetched: 0 },
      { searched: size / 5, fetched: size / 5 },
    ].map((causes) => ({ causes, costs: { cost: cost(causes.searched, causes.fetched) } })),
  );

it('finds the parameters of a linear cost', () => {
  const parameter = fc.double({ min: 0.001, max: 100, noNaN: true });
  fc.assert(
    fc.property(parameter, parameter, parameter, (fixed, searched, fetched) => {
      const model = fitCost(
        observe((some, more) => fixed + searched * some + fetched * more),
        'cost',
      );
      const causes = { searched: 1e8, fetched: 1e8 };
      expect(predictCost(model, causes) / (fixed + (searched + fetched) * 1e8)).toBeCloseTo(1, 4);
    }),
  );
});

it('never expects a negative cost', () => {
  const cost = fc.double({ min: 0.001, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(fc.array(cost, { minLength: 6, maxLength: 6 }), (costs) => {
      const observations = observe(() => 0).map(({ causes }, index) => ({ causes, costs: { cost: costs[index]! } }));
      const { fixed, each } = fitCost(observations, 'cost');
      for (const parameter of [fixed, each.searched, each.fetched]) expect(parameter).toBeGreaterThanOrEqual(0);
    }),
  );
});
