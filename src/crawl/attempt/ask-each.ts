import type { ApiError } from '../../api/index.js';
import { inParallel } from '../../base/in-parallel.js';
import { TidemarkError } from '../../base/errors.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { saysRoom } from '../read-quota.js';
import { Judge, type ControlName, type Said, type Subject, type Verdict } from '../judge/judge.js';
import { kindOf, RouteRefusedError } from '../judge/kinds.js';

/** Requests items of one route, and what to do with each. */
export interface Asking<Item> {
  of: Subject;
  items: readonly Item[];
  /** Most requests in flight. Default: 1. */
  limit?: number;
  /** Whether the route has answered before. Default: false. */
  known?: boolean;
  /** Requests an item and lands its answer. */
  ask(item: Item): Promise<void>;
  /** Lands the answer that an item does not exist. Set for the subjects for which this is an answer. */
  gone?(item: Item, error: ApiError): Promise<void>;
  /**
   * Requests another item, for comparison. Undefined: there is none.
   * @param failing items that must not serve
   */
  other?: ((failing: ReadonlySet<Item>) => Promise<Said>) | undefined;
  /** Milliseconds since the last answer of the route. Default: 0, so that no `limit` closes the route. */
  silentMs?(): number;
}

/**
 * Requests every item, several at a time. Until the API has answered once, only one request is in flight. Postpones failed
 * items: requests them again at the end. `Judge` decides what each error means.
 * @returns the items that still fail, with their errors
 * @throws RouteRefusedError when the API refuses the route
 * @throws TidemarkError `ApiUnavailable` when the API answers nothing
 * @throws the error that ends the work
 */
export async function askEach<Item>(
  deps: CrawlDeps,
  heartbeat: Heartbeat,
  asking: Asking<Item>,
): Promise<ReadonlyMap<Item, ApiError>> {
  return new Attempt(deps, heartbeat, asking).run();
}

/**
 * Sends one request, and sends it again if the judge says so.
 * @returns its result, or the error if only this request fails
 * @throws as `askEach`
 */
export async function askOne<T>(
  deps: CrawlDeps,
  heartbeat: Heartbeat,
  { send, ...asking }: Omit<Asking<null>, 'items' | 'ask'> & { send: () => Promise<T> },
): Promise<{ result: T } | { error: ApiError }> {
  const results: T[] = [];
  const ask = async (): Promise<void> => void results.push(await send());
  const failed = await askEach(deps, heartbeat, { ...asking, items: [null], ask });
  const [error] = failed.values();
  return error === undefined ? { result: results[0] as T } : { error };
}

class Attempt<Item> {
  readonly #judge: Judge;
  readonly #postponed = new Map<Item, ApiError>();
  readonly #controls = new Map<ControlName, Promise<Said>>();
  #open!: () => void;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  constructor(
    private readonly deps: CrawlDeps,
    private readonly heartbeat: Heartbeat,
    private readonly asking: Asking<Item>,
  ) {
    this.#judge = new Judge(asking.of, { attempt: heartbeat.attempt, known: asking.known ?? false });
  }

  async run(): Promise<ReadonlyMap<Item, ApiError>> {
    await this.#pass(this.asking.items);
    this.#judge.startRepeating();
    for (let round = 1; ; round++) {
      const owed = [...this.#postponed].filter(([, error]) => this.#judge.repeatsOf(kindOf(error)) >= round);
      if (owed.length === 0) break;
      await this.#pass(owed.map(([item]) => item));
    }
    await this.#confirm();
    return this.#postponed;
  }

  async #pass(items: readonly Item[]): Promise<void> {
    await inParallel(items, this.asking.limit ?? 1, (item) => this.#ask(item), this.#opened);
  }

  async #ask(item: Item): Promise<void> {
    try {
      await this.asking.ask(item);
      this.#judge.answered();
      this.#postponed.delete(item);
    } catch (error) {
      if (this.heartbeat.signal.aborted) throw error;
      const kind = kindOf(error);
      if (kind === 'gone' && this.asking.gone !== undefined) {
        this.#judge.answered();
        this.#postponed.delete(item);
        return await this.asking.gone(item, error as ApiError);
      }
      // After a daily limit, the client sends nothing until a control request shows that quota is left.
      const isUnsent =
        kind === 'daily' && (error as ApiError).status === 0 && this.#judge.controlOf(kind) !== undefined;
      const verdict = isUnsent ? 'control' : this.#judge.failed(kind, this.#silentMs);
      const then = await this.#follow(verdict, error);
      if (isUnsent) return await this.#ask(item);
      if (then === 'later') this.#postponed.set(item, error as ApiError);
      else this.#postponed.delete(item);
    } finally {
      if (this.#judge.isOpen) this.#open();
    }
  }

  /** Asks the judge whether the failed items may be filed, and sends a control request for each kind of error. */
  async #confirm(): Promise<void> {
    const byKind = new Map([...this.#postponed.values()].map((error) => [kindOf(error), error]));
    for (const [kind, error] of byKind) await this.#follow(this.#judge.beforeFiling(kind, this.#silentMs), error, true);
  }

  /**
   * Follows a verdict: sends the control request, or ends the work.
   * @returns the verdict after the control request
   */
  async #follow(verdict: Verdict, error: unknown, isFiling = false): Promise<Verdict> {
    const kind = kindOf(error);
    if (verdict === 'close') throw new RouteRefusedError(error as ApiError);
    if (verdict === 'end') throw error;
    const name = this.#judge.controlOf(kind, isFiling);
    if (verdict !== 'control' || name === undefined) return verdict;
    const said = await this.#control(name);
    this.heartbeat.signal.throwIfAborted();
    const then = this.#judge.controlled(kind, said);
    if (then === 'close') throw new RouteRefusedError(error as ApiError);
    if (then !== 'end') return then;
    const isDown = name === 'anything' || (name === 'metrics' && said === 'failed');
    throw isDown ? apiUnavailable(error as ApiError, this.#judge.inARow(kind)) : error;
  }

  /** Sends a control request. Requests in flight often fail together: sends only one for all of them. */
  async #control(name: ControlName): Promise<Said> {
    const sent = this.#controls.get(name) ?? this.#send(name).finally(() => this.#controls.delete(name));
    this.#controls.set(name, sent);
    return sent;
  }

  async #send(name: ControlName): Promise<Said> {
    if (name === 'quota') return (await saysRoom(this.deps, this.heartbeat)) ? 'answered' : 'failed';
    if (name !== 'other') {
      const metrics = this.deps.client.v2.metrics({ signal: this.heartbeat.signal });
      const said = await metrics.then(
        () => 'answered' as const,
        (error: unknown) => (kindOf(error) === 'key' ? ('refused' as const) : ('failed' as const)),
      );
      if (said === 'answered' || name === 'metrics') return said;
    }
    return (await this.asking.other?.(new Set(this.#postponed.keys()))) ?? 'none';
  }

  get #silentMs(): number {
    return this.asking.silentMs?.() ?? 0;
  }
}

/** Milliseconds since the activity was first scheduled. */
export function sinceScheduled({ since }: Heartbeat): number {
  return since === undefined ? 0 : Date.now() - since;
}

/**
 * Requests something for comparison.
 * @throws errors that concern every request
 */
export async function compareWith(send: () => Promise<unknown>): Promise<Said> {
  try {
    await send();
    return 'answered';
  } catch (error) {
    switch (kindOf(error)) {
      case 'gone':
      case 'invalid':
        return 'answered';
      case 'refused':
        return 'refused';
      case 'closed':
        return 'none';
      case 'key':
      case 'daily':
      case 'fatal':
        throw error;
      default:
        return 'failed';
    }
  }
}

function apiUnavailable(fault: ApiError, failed: number): TidemarkError {
  const what = failed === 1 ? 'A request failed' : `${failed} requests in a row failed`;
  return new TidemarkError('ApiUnavailable', `${what}, and /v2/metrics fails too. Last error: ${fault.message}`, {
    todo: 'Check that the API is up (tidemark doctor). The run waits and continues by itself. It does not fetch landed records again.',
    retryable: true,
    cause: fault,
  });
}
