import { requestKey, type Ask } from './request-key.js';
import type { ListingAnswer, PlanAnswer, PlanRequest, RefusedAnswer, SearchAnswer } from './types.js';

/**
 * A task is sequential code in a generator. It yields the requests or tasks for which it waits. It sees only answers
 * and finished tasks, so the order in which answers arrive cannot change its decisions.
 */
export type Task<T> = Generator<Step, T, unknown>;

type Step = { asks: Ask[] } | { fork: Task<unknown> } | { join: readonly Fiber<unknown>[] };

export interface Fiber<T> {
  done: boolean;
  result: T | undefined;
}

interface Running extends Fiber<unknown> {
  task: Task<unknown>;
  blockedOn: number;
  resume: () => unknown;
  waiters: Running[];
}

/** A search through version 2, the default route. The scheduler adds the route. */
export type SearchAsk = Omit<Ask, 'route'>;

/** Makes one request and waits for its answer. The scheduler sends equal requests only once. */
export function* ask(request: SearchAsk): Task<SearchAnswer> {
  return (yield* askAll([request]))[0]!;
}

/**
 * Makes several requests at the same time and waits for all answers. Returns the answers in the order of the requests.
 */
export function* askAll(requests: SearchAsk[]): Task<SearchAnswer[]> {
  return (yield { asks: requests.map((request) => ({ route: 'v2', ...request })) }) as SearchAnswer[];
}

/** Works like `askAll`, but requests pages of version 1's search. */
export function* askListing(requests: SearchAsk[]): Task<(ListingAnswer | RefusedAnswer)[]> {
  return (yield { asks: requests.map((request) => ({ route: 'v1', ...request })) }) as (
    | ListingAnswer
    | RefusedAnswer
  )[];
}

/** Starts another task, which runs at the same time. */
export function* fork<T>(task: Task<T>): Task<Fiber<T>> {
  return (yield { fork: task }) as Fiber<T>;
}

/** Waits until tasks have ended. Returns their results in the order of `fibers`. */
export function* join<T>(fibers: readonly Fiber<T>[]): Task<T[]> {
  yield { join: fibers };
  return fibers.map((fiber) => fiber.result as T);
}

/** Runs tasks as far as the known answers allow. Collects the requests for whose answers tasks wait. */
export class Scheduler {
  private readonly answers = new Map<string, PlanAnswer>();
  private readonly waiting = new Map<string, Running[]>();
  private readonly wanted: PlanRequest[] = [];
  private head = 0;
  private ready: { fiber: Running; value: unknown }[] = [];
  private readonly used = new Set<string>();

  /** @param onAnswer called once for each answer, when a task first uses it */
  constructor(private readonly onAnswer: (asked: Ask, answer: PlanAnswer) => void) {}

  /** Number of answers that tasks have used. */
  get answered(): number {
    return this.used.size;
  }

  /** Number of requests that tasks have made, answered or not. */
  get asked(): number {
    return this.used.size + this.waiting.size;
  }

  /** Starts the first task. Runs it until it waits for answers. */
  start<T>(task: Task<T>): Fiber<T> {
    const fiber = this.spawn(task);
    this.drain();
    return fiber as Fiber<T>;
  }

  /** Returns up to `limit` requests. Returns each request only once, and none whose answer is already known. */
  take(limit: number): PlanRequest[] {
    const taken: PlanRequest[] = [];
    while (taken.length < limit && this.head < this.wanted.length) {
      const request = this.wanted[this.head++]!;
      if (!this.answers.has(request.key)) taken.push(request);
    }
    if (this.head > 1_000 && this.head * 2 > this.wanted.length) {
      this.wanted.splice(0, this.head);
      this.head = 0;
    }
    return taken;
  }

  /** Takes an answer, even if no task waits for it yet. Ignores a second answer for the same key. */
  give(key: string, answer: PlanAnswer): void {
    if (this.answers.has(key)) return;
    this.answers.set(key, answer);
    const fibers = this.waiting.get(key);
    if (!fibers) return;
    this.waiting.delete(key);
    for (const fiber of fibers) this.unblock(fiber);
    this.drain();
  }

  private spawn(task: Task<unknown>): Running {
    const fiber: Running = { task, done: false, result: undefined, blockedOn: 0, resume: () => undefined, waiters: [] };
    this.ready.push({ fiber, value: undefined });
    return fiber;
  }

  private drain(): void {
    for (let next = this.ready.shift(); next; next = this.ready.shift()) this.step(next.fiber, next.value);
  }

  private step(fiber: Running, value: unknown): void {
    const turn = fiber.task.next(value);
    if (turn.done) {
      fiber.done = true;
      fiber.result = turn.value;
      for (const waiter of fiber.waiters) this.unblock(waiter);
      fiber.waiters = [];
      return;
    }
    const step = turn.value;
    if ('fork' in step) {
      const forked = this.spawn(step.fork);
      this.ready.push({ fiber, value: forked });
    } else if ('join' in step) {
      const open = (step.join as readonly Running[]).filter((other) => !other.done);
      this.block(fiber, open.length, () => undefined);
      for (const other of open) other.waiters.push(fiber);
    } else {
      this.askFor(fiber, step.asks);
    }
  }

  private askFor(fiber: Running, asks: Ask[]): void {
    const keys = asks.map(requestKey);
    const open = [...new Set(keys)].filter((key) => !this.answers.has(key));
    this.block(fiber, open.length, () =>
      keys.map((key, i) => {
        const answer = this.answers.get(key)!;
        if (!this.used.has(key)) {
          this.used.add(key);
          this.onAnswer(asks[i]!, answer);
        }
        return answer;
      }),
    );
    const asked = new Map(keys.map((key, i) => [key, asks[i]!]));
    for (const key of open) {
      const fibers = this.waiting.get(key);
      if (fibers) fibers.push(fiber);
      else {
        this.waiting.set(key, [fiber]);
        const { again: _, ...request } = asked.get(key)!;
        this.wanted.push({ key, ...request });
      }
    }
  }

  private block(fiber: Running, on: number, resume: () => unknown): void {
    if (on === 0) {
      this.ready.push({ fiber, value: resume() });
      return;
    }
    fiber.blockedOn = on;
    fiber.resume = resume;
  }

  private unblock(fiber: Running): void {
    fiber.blockedOn -= 1;
    if (fiber.blockedOn === 0) this.ready.push({ fiber, value: fiber.resume() });
  }
}
