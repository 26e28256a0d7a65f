import type { Calibration, Rotation } from '../../src/planner/index.js';
import { dayText } from '../../src/planner/days.js';
import { NONE, type Columns } from './columns.js';
import { crawl } from './crawl.js';
import { Market } from './market.js';
import { distributionsOf, nextNight } from './night.js';

const NIGHTS = 7;
const SEED = 20_261_121;

/** Result of a first night and the seven nights after it. The API has no way to companies without a date. */
export interface Week {
  /** Requests ÷ (members ÷ page size) of the first night. Members are the companies found or carried over. */
  first: number;
  /** The same ratio, averaged over the seven nights after it. */
  others: number;
  /** Share of the last night's market that is among the members of that night. */
  members: number;
  /** Share of the last night's members that have left the market. */
  gone: number;
}

/**
 * Measures a week with rotation. Each night searches one seventh of the companies without a date
 * (`PlanInput.remainderNights`), and 1 % of the companies change.
 */
export function measureWeek(start: Columns, size: number, countries?: number): Week {
  let columns = start;
  let calibration: Calibration | null = null;
  let parts: string[] = [];
  const seenOn = new Map<number, string>();
  const effs: number[] = [];
  let members = new Set<number>();
  for (let night = 0; night <= NIGHTS; night++) {
    const before = columns;
    if (night > 0) columns = nextNight(columns, SEED + night, countries);
    const since = parts.toSorted()[0];
    // Companies without a date, as the warehouse knows them: those of the night before.
    const undated = since === undefined ? [] : idsWithoutDate(before).filter((id) => (seenOn.get(id) ?? '') >= since);
    const rotation: Rotation | null =
      since === undefined || !calibration?.turns
        ? null
        : {
            key: calibration.turns.key,
            part: parts.indexOf(since),
            of: NIGHTS,
            carried: { [since]: undated.map(String) },
          };
    const known = night === 0 ? {} : { known: { distributions: distributionsOf(before), calibration, rotation } };
    const result = crawl(new Market(columns, { maxSize: size }), { remainderNights: NIGHTS, ...known });
    const day = dayText(night);
    members = new Set(result.carried.map(Number));
    for (const id of new Set([...columns.id, ...before.id])) {
      if (!result.account.has(id)) continue;
      members.add(id);
      seenOn.set(id, day);
    }
    calibration = result.calibration;
    if (night === 0) parts = Array.from({ length: NIGHTS }, () => day);
    for (const part of calibration.turns?.searched ?? []) parts[part] = day;
    effs.push((result.account.requests * size) / members.size);
  }
  const there = new Set(columns.id);
  const held = [...members].filter((id) => there.has(id)).length;
  return {
    first: effs[0]!,
    others: effs.slice(1).reduce((sum, eff) => sum + eff, 0) / NIGHTS,
    members: held / there.size,
    gone: (members.size - held) / members.size,
  };
}

function idsWithoutDate({ id, incorporated, companies }: Columns): number[] {
  return Array.from({ length: companies }, (_, row) => row).flatMap((row) =>
    incorporated[row] === NONE ? [id[row]!] : [],
  );
}
