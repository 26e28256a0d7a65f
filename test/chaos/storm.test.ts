import { describe, expect, it } from 'vitest';
import { ACTORS, planRounds } from './storm/plan.js';
import { runStorm } from './storm/storm.js';

// `npm run storm -- --seed 7 --rounds 100` runs any number of rounds; `npm run test:long` runs a few.
const ROUNDS = 3;

describe('a storm plan', () => {
  const first = (seed: number) => {
    const rounds = planRounds(seed);
    return Array.from({ length: 20 }, () => rounds.next().value);
  };

  it('gives the same storm plan for the same seed', () => {
    expect(first(3)).toEqual(first(3));
    expect(first(3)).not.toEqual(first(4));
  });

  it('starts every process each round and spares a worker and a receiver', () => {
    for (const { starts, strikes } of first(5)) {
      expect(Object.keys(starts)).toEqual([...ACTORS]);
      const targets = strikes.map(({ target }) => target);
      expect(new Set(targets).size).toBe(targets.length);
      expect(targets.filter((target) => target.startsWith('worker')).length).toBeLessThan(2);
      expect(targets.filter((target) => target.startsWith('receiver')).length).toBeLessThan(2);
    }
  });
});

describe('a storm', () => {
  it('loses no acknowledged delivery and reports nothing false in a storm', async () => {
    const lines: string[] = [];
    const found = await runStorm({ seed: 1, rounds: ROUNDS, companies: 40, say: (line) => lines.push(line) });
    expect(found.problems, lines.join('\n')).toEqual([]);
    expect(found.rounds).toBe(ROUNDS);
    // A storm without strikes and deliveries would prove nothing.
    expect(found.strikes).toBeGreaterThan(0);
    expect(found.acknowledged).toBeGreaterThan(0);
    expect(found.complete).toBeGreaterThan(0);
    expect(found.reads).toBeGreaterThan(0);
  }, 1_800_000);
});
