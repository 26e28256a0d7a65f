import { requestKey, type Ask } from './request-key.js';
import type { ListingAnswer, PlanAnswer, PlanRequest, RefusedAnswer, SearchAnswer } from './types.js';

/**
 * A task is sequential code in a generator. It yields the requests or tasks for which it waits. It sees only answers
 * and finished tasks, so the order in which answers arrive cannot change its decisions.
 */
export type Task<T> = Generator<Step, T, unknown>;

type Step = { asks: Ask[] } | { fork: Task<unknown> } | { join: readonly Fiber<unknown>[] };

/** A task that was started. */
export interface Fiber<T> {
  done: boolean;
  result: T | undefined;
}

interface Running extends Fiber<unknown> {
  task: Task<unknown>;
  /** Number of answers and tasks for which the task waits. */
  blockedOn: number;
  resume: () => unknown;
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
  const asks = requests.map((request) => ({ route: 'v1' as const, ...request }));
  return (yield { asks }) as (ListingAnswer | RefusedAnswer)[];
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

/** Runs several tasks at the same time. Waits until all have ended. */
export function* runAll(tasks: Iterable<Task<void>>): Task<void> {
  const fibers: Fiber<void>[] = [];
  for (const task of tasks) fibers.push(yield* fork(task));
  yield* join(fibers);
}

/** Runs tasks as far as the known answers allow. Collects the requests for whose answers tasks wait. */
export class Scheduler {
  private readonly answers = new Map<string, PlanAnswer>();
  /** Waiting tasks, by the key of the request or by the task for which they wait. */
  private readonly waiting = new Map<string | Fiber<unknown>, Running[]>();
  private readonly wanted: PlanRequest[] = [];
  private readonly ready: { fiber: Running; value: unknown }[] = [];
  private readonly made = new Set<string>();
  private readonly used = new Set<string>();

  /** @param onAnswer called once for each answer, when a task first uses it */
  constructor(private readonly onAnswer: (request: PlanRequest, answer: PlanAnswer) => void) {}

  /** Number of answers that tasks have used. */
  get answered(): number {
    return this.used.size;
  }

  /**
   * Number of requests that tasks have made, answered or not. If the API contradicts itself, thousands of them may wait
   * for an answer.
   */
  get asked(): number {
    return this.made.size;
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
    while (taken.length < limit && this.wanted.length > 0) {
      const request = this.wanted.shift()!;
      if (!this.answers.has(request.key)) taken.push(request);
    }
    return taken;
  }

  /** Takes an answer, even if no task waits for it yet. Ignores a second answer for the same key. */
  give(key: string, answer: PlanAnswer): void {
    if (this.answers.has(key)) return;
    this.answers.set(key, answer);
    this.wake(key);
    this.drain();
  }

  private spawn(task: Task<unknown>): Running {
    const fiber: Running = { task, done: false, result: undefined, blockedOn: 0, resume: () => undefined };
    this.ready.push({ fiber, value: undefined });
    return fiber;
  }

  private drain(): void {
    for (let next = this.ready.shift(); next; next = this.ready.shift()) this.step(next.fiber, next.value);
  }

  private step(fiber: Running, value: unknown): void {
    const turn = fiber.task.next(value);
    if (turn.done) {
      Object.assign(fiber, { done: true, result: turn.value });
      this.wake(fiber);
      return;
    }
    const step = turn.value;
    if ('fork' in step) {
      const forked = this.spawn(step.fork);
      this.wait(fiber, [], () => forked);
    } else if ('join' in step) {
      const open = step.join.filter((other) => !other.done);
      this.wait(fiber, open, () => undefined);
    } else {
      this.askFor(fiber, step.asks);
    }
  }

  private askFor(fiber: Running, asks: Ask[]): void {
    const requests = asks.map((one): PlanRequest => {
      const { again: _, ...request } = one;
      return { key: requestKey(one), ...request };
    });
    for (const request of requests) {
      if (this.made.has(request.key)) continue;
      this.made.add(request.key);
      if (!this.answers.has(request.key)) this.wanted.push(request);
    }
    const open = new Set(requests.map(({ key }) => key).filter((key) => !this.answers.has(key)));
    this.wait(fiber, [...open], () => requests.map((request) => this.use(request)));
  }

  private use(request: PlanRequest): PlanAnswer {
    const answer = this.answers.get(request.key)!;
    if (!this.used.has(request.key)) {
      this.used.add(request.key);
      this.onAnswer(request, answer);
    }
    return answer;
  }

  private wait(fiber: Running, events: readonly (string | Fiber<unknown>)[], resume: () => unknown): void {
    Object.assign(fiber, { resume, blockedOn: events.length });
    if (events.length === 0) this.ready.push({ fiber, value: resume() });
    for (const event of events) this.waiting.set(event, [...(this.waiting.get(event) ?? []), fiber]);
  }

  /** Continues the tasks that wait only for this answer or task. */
  private wake(event: string | Fiber<unknown>): void {
    const fibers = this.waiting.get(event) ?? [];
    this.waiting.delete(event);
    for (const fiber of fibers) if (--fiber.blockedOn === 0) this.ready.push({ fiber, value: fiber.resume() });
  }
}
