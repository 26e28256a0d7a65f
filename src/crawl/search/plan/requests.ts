import { setImmediate } from 'node:timers/promises';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import type { ListingAnswer, PlanAnswer, PlanRequest, RefusedAnswer, Route, SearchAnswer } from './types.js';

/** A request without its key. `again` is set for a deliberate repetition of an equal request. */
export type Ask = Omit<PlanRequest, 'key'> & { again?: string | undefined };

/** A request whose route is given by the method that sends it. */
export type SearchAsk = Omit<Ask, 'route'>;

/**
 * Sends a request and returns its answer. Returns undefined if the request is not sent, for example because the budget
 * is spent. Whatever needs this answer then waits forever.
 */
export type Send = (request: PlanRequest) => Promise<PlanAnswer | undefined>;

const ROUTES: Record<Route, string> = { v2: 'POST /v2/prospecting', v1: 'POST /v1/finder/companies' };

/**
 * Returns the key of a request and its answer: method, path, and the body with sorted keys. The same search has the
 * same key in every run. The key of a deliberate repetition ends in a mark, because its answer may differ.
 */
export function requestKey(ask: Ask): string {
  const body = canonicalJson({ filters: ask.filters, page: ask.page, per_page: ask.per_page });
  return `${ROUTES[ask.route]} ${body}${ask.again === undefined ? '' : `#${ask.again}`}`;
}

interface Queued {
  request: PlanRequest;
  resolve: (answer: PlanAnswer) => void;
}

/** Sends the requests of a plan: equal requests once, first asked first sent, a limited number at the same time. */
export class Requests {
  /** Number of answers so far. */
  answered = 0;
  private readonly made = new Map<string, Promise<PlanAnswer>>();
  private readonly queue: Queued[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private readonly errors: unknown[] = [];

  /** @param onAnswer called once for each answer, before the plan continues */
  constructor(
    private readonly send: Send,
    private readonly limit: number,
    private readonly onAnswer: (request: PlanRequest, answer: PlanAnswer) => void,
  ) {}

  /**
   * Number of requests that the plan has made, answered or not. If the API contradicts itself, thousands of them may
   * wait for an answer.
   */
  get asked(): number {
    return this.made.size;
  }

  /** Requests a page of version 2's search. */
  search(ask: SearchAsk): Promise<SearchAnswer> {
    return this.ask({ route: 'v2', ...ask }) as Promise<SearchAnswer>;
  }

  /** Requests a page of version 1's search. */
  list(ask: SearchAsk): Promise<ListingAnswer | RefusedAnswer> {
    return this.ask({ route: 'v1', ...ask }) as Promise<ListingAnswer | RefusedAnswer>;
  }

  /** Marks work that is awaited later. If it fails before that, the run ends with its error. */
  watch<T>(work: Promise<T>): Promise<T> {
    work.catch((error: unknown) => this.errors.push(error));
    return work;
  }

  /**
   * Runs a plan until it ends, or until it waits only for requests that `send` did not send. Then no request is in
   * flight. After an error, sends nothing more.
   * @returns whether the plan has ended
   * @throws the first error of `send` or of the plan
   */
  async run(plan: () => Promise<void>): Promise<boolean> {
    let ended = false;
    void this.watch(plan().then(() => void (ended = true)));
    do {
      await Promise.all(this.inFlight);
      // Let the plan continue with the answers, as far as it can.
      await setImmediate();
    } while (this.inFlight.size > 0);
    if (this.errors.length > 0) throw this.errors[0];
    return ended;
  }

  private ask({ again, ...request }: Ask): Promise<PlanAnswer> {
    const key = requestKey({ again, ...request });
    let answer = this.made.get(key);
    if (!answer) {
      answer = new Promise((resolve) => this.queue.push({ request: { key, ...request }, resolve }));
      this.made.set(key, answer);
      this.sendNext();
    }
    return answer;
  }

  private sendNext(): void {
    while (this.queue.length > 0 && this.inFlight.size < this.limit && this.errors.length === 0) {
      const sent = this.sendOne(this.queue.shift()!).finally(() => {
        this.inFlight.delete(sent);
        this.sendNext();
      });
      this.inFlight.add(sent);
    }
  }

  private async sendOne({ request, resolve }: Queued): Promise<void> {
    try {
      const answer = await this.send(request);
      if (answer === undefined) return;
      this.answered += 1;
      this.onAnswer(request, answer);
      resolve(answer);
    } catch (error) {
      this.errors.push(error);
    }
  }
}
