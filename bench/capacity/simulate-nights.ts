/** A market, and what its API key may call. */
export interface Market {
  companies: number;
  /** Companies on a page of a search. */
  perPage: number;
  /** Age in days at which a record is fetched again. */
  refreshDays: { companies: number; financials: number };
  /** Share of the companies that leave each day. As many enter. */
  enteredShare: number;
  /** Calls a day. */
  quota: number;
}

/** What happened on one day. */
export interface Day {
  calls: number;
  /** Records that have never been fetched, at the end of the day. */
  missing: number;
  /** Records older than their refresh, at the end of the day. */
  stale: number;
  /** Whether a night ended on this day. */
  ended: boolean;
}

type Stream = 'companies' | 'financials';
const STREAMS: readonly Stream[] = ['companies', 'financials'];

/**
 * Simulates the nights of a market, day by day. A night searches the market, then fetches the records that are missing
 * or stale when it begins. A night that reaches the quota goes on the next day. The next night begins on the day after.
 */
export function simulateNights(market: Market, days: number): Day[] {
  const records = new Map(STREAMS.map((stream) => [stream, new Records(market, stream)]));
  let night: { search: number; due: Record<Stream, number> } | null = null;
  return Array.from({ length: days }, (_, day) => {
    for (const of of records.values()) of.replaceSome(day === 0 ? 0 : market.enteredShare);
    night ??= { search: Math.ceil(market.companies / market.perPage), due: dueOn(records, day) };
    let room = market.quota;
    const spend = (wanted: number): number => {
      const spent = Math.min(wanted, room);
      room -= spent;
      return spent;
    };
    night.search -= spend(night.search);
    // Both streams are fetched side by side: a share of the room for each, then the rest for the other.
    const share = Math.ceil(room / 2);
    for (const [i, stream] of STREAMS.entries()) {
      const other = night.due[STREAMS[1 - i]!];
      const most = i === 0 ? Math.max(share, room - other) : room;
      const fetched = spend(Math.min(night.due[stream], most));
      night.due[stream] -= fetched;
      records.get(stream)!.fetch(fetched, day);
    }
    const ended = night.search + night.due.companies + night.due.financials === 0;
    if (ended) night = null;
    const sum = (of: (records: Records) => number): number =>
      [...records.values()].reduce((all, one) => all + of(one), 0);
    return {
      calls: market.quota - room,
      missing: sum((of) => of.missing),
      stale: sum((of) => of.staleOn(day)),
      ended,
    };
  });
}

function dueOn(records: ReadonlyMap<Stream, Records>, day: number): Record<Stream, number> {
  const due = (stream: Stream): number => {
    const of = records.get(stream)!;
    return of.missing + of.staleOn(day);
  };
  return { companies: due('companies'), financials: due('financials') };
}

/** The records of one stream, by the day on which they were fetched. Oldest first. */
class Records {
  missing: number;
  readonly #refreshDays: number;
  #fetched: { day: number; count: number }[] = [];

  constructor({ companies, refreshDays }: Market, stream: Stream) {
    this.missing = companies;
    this.#refreshDays = refreshDays[stream];
  }

  /** Number of records that are due again on a day. */
  staleOn(day: number): number {
    return this.#fetched.reduce((sum, of) => sum + (day - of.day >= this.#refreshDays ? of.count : 0), 0);
  }

  /** Replaces a share of the companies of all ages by new ones, whose records are missing. */
  replaceSome(share: number): void {
    for (const of of this.#fetched) {
      const gone = Math.floor(of.count * share);
      of.count -= gone;
      this.missing += gone;
    }
  }

  /** Fetches missing records, and then the oldest ones. */
  fetch(count: number, day: number): void {
    let left = count - Math.min(count, this.missing);
    this.missing -= count - left;
    for (const of of this.#fetched) {
      const again = Math.min(of.count, left);
      of.count -= again;
      left -= again;
    }
    this.#fetched = [...this.#fetched.filter((of) => of.count > 0), { day, count }];
  }
}
