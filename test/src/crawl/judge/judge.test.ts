import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Judge, type Said, type Subject, type Verdict } from '../../../../src/crawl/judge/judge.js';
import type { Kind } from '../../../../src/crawl/judge/kinds.js';

const SUBJECTS: Subject[] = ['records', 'questions', 'first page', 'page', 'search', 'needed search', 'guess'];
const KINDS: Kind[] = ['gone', 'invalid', 'unusable', 'fault', 'key', 'refused', 'limit', 'daily', 'closed', 'fatal'];
const HOURS = 3_600_000;

/** What the API does: it answers a request, fails it, or answers the control request that an error leads to. */
type Step = { answers: true } | { kind: Kind; said: Said };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Step>({ answers: true }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(...KINDS),
      said: fc.constantFrom<Said>('answered', 'refused', 'failed', 'none'),
    }),
  },
);
const history = fc.record({
  subject: fc.constantFrom(...SUBJECTS),
  attempt: fc.integer({ min: 1, max: 8 }),
  known: fc.boolean(),
  steps: fc.array(step, { maxLength: 80 }),
});

/** The verdict about one error, after its control request, if any. */
function judged(judge: Judge, { kind, said }: Exclude<Step, { answers: true }>, silentMs = 0): Verdict {
  const verdict = judge.failed(kind, silentMs);
  return verdict === 'control' ? judge.controlled(kind, said) : verdict;
}

describe('random histories of answers', () => {
  it('files an item only if the API answered something after the item failed', () => {
    fc.assert(
      fc.property(history, ({ subject, attempt, known, steps }) => {
        const judge = new Judge(subject, { attempt, known });
        // For each kind, whether the API has answered anything since its last error.
        const explained = new Map<Kind, boolean>();
        for (const each of steps) {
          if ('answers' in each) {
            judge.answered();
            explained.clear();
            continue;
          }
          const { kind, said } = each;
          const verdict = judge.failed(kind);
          explained.set(kind, verdict === 'control' && said === 'answered');
          if (verdict === 'control') judge.controlled(kind, said);
        }
        for (const kind of KINDS) {
          // Another item that fails for another reason explains a refusal, too. The other two are answers of the API.
          if (
            ['refused', 'invalid', 'unusable'].includes(kind) ||
            judge.controlOf(kind) === undefined ||
            explained.get(kind) !== false
          )
            continue;
          expect(judge.beforeFiling(kind), `${subject}: ${kind}`).not.toBe('later');
        }
      }),
    );
  });

  it('ends or closes after a bounded number of errors in a row if no control request is answered', () => {
    const most: Partial<Record<Kind, number>> = { invalid: 20, unusable: 20, fault: 20, key: 1, limit: 3, daily: 1 };
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(most) as Kind[]), 'refused' as Kind),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        fc.array(fc.constantFrom<Step>({ answers: true }, { kind: 'fault', said: 'answered' })),
        (kind, attempt, known, before) => {
          const judge = new Judge('records', { attempt, known });
          for (const each of before) {
            if ('answers' in each) judge.answered();
            else judged(judge, each);
          }
          judge.answered();
          const verdicts: Verdict[] = [];
          do verdicts.push(judged(judge, { kind, said: 'refused' }));
          while (verdicts.at(-1) === 'later' && verdicts.length < 100);
          expect(verdicts.at(-1)).toBe(kind === 'refused' ? 'close' : 'end');
          expect(verdicts).toHaveLength(most[kind] ?? 20);
        },
      ),
    );
  });

  it('closes a route that has never answered after three refusals', () => {
    for (const subject of ['records', 'first page', 'search', 'needed search'] as const) {
      const judge = new Judge(subject);
      const refusal: Step = { kind: 'refused', said: 'none' };
      expect(
        [1, 2, 3].map(() => judged(judge, refusal)),
        subject,
      ).toEqual(['later', 'later', 'close']);
    }
  });

  it('ends no work while every control request is answered, unless ten errors in a row are believed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.boolean(), (steps, known) => {
        const judge = new Judge('records', { attempt: 4, known });
        let [keys, daily] = [0, 0];
        for (const each of steps) {
          if ('answers' in each || each.kind === 'gone') {
            [keys, daily] = [0, 0];
            judge.answered();
            continue;
          }
          if (each.kind === 'fatal') continue;
          if (each.kind === 'key') keys++;
          if (each.kind === 'daily') daily++;
          const verdict = judged(judge, { ...each, said: 'answered' });
          if (keys >= 10 || daily >= 10) return;
          expect(['later', 'skip']).toContain(verdict);
        }
      }),
    );
  });

  it('forgets all errors with the next answer', () => {
    fc.assert(
      fc.property(history, step, ({ subject, attempt, known, steps }, next) => {
        const judge = new Judge(subject, { attempt, known });
        for (const each of steps) if (!('answers' in each)) judged(judge, each);
        judge.answered();
        if ('answers' in next) return;
        expect(judged(judge, next)).toBe(judged(new Judge(subject, { attempt, known: true }), next));
      }),
    );
  });

  it('lets one request at a time through while the API refuses or limits all', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Kind>('refused', 'limit', 'daily'), { maxLength: 30 }), (kinds) => {
        const judge = new Judge('records', { attempt: 9 });
        for (const kind of kinds) judged(judge, { kind, said: 'refused' });
        expect(judge.isOpen).toBe(false);
        judge.answered();
        expect(judge.isOpen).toBe(true);
      }),
    );
  });
});

it('closes a route that has answered only `limit` for two hours', () => {
  for (const subject of ['records', 'questions', 'first page', 'page'] as const) {
    const limited = (silentMs: number): Verdict => {
      const judge = new Judge(subject, { attempt: 9 });
      const verdicts = [1, 2, 3].map(() => judged(judge, { kind: 'limit', said: 'failed' }, silentMs));
      return verdicts.find((verdict) => verdict !== 'later') ?? 'later';
    };
    expect([limited(2 * HOURS), limited(2 * HOURS + 1)], subject).toEqual(['end', 'close']);
  }
});

it('ends early attempts before it compares limited records, and files none', () => {
  for (const [attempt, verdict] of [
    [3, 'end'],
    [4, 'later'],
  ] as const) {
    const judge = new Judge('records', { attempt, known: true });
    expect(judged(judge, { kind: 'limit', said: 'answered' })).toBe('later');
    judge.answered();
    expect(judge.beforeFiling('limit')).toBe(verdict);
  }
});
