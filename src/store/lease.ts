import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { TidemarkError } from '../base/errors.js';
import type { LockOptions } from './lock/folder-lock.mjs';
import { describeHolder, findPlace, isCertainlyGone, look, thisProcess, type Watch } from './lock/holder.mjs';
import { take, type WaitOptions as LockWaitOptions } from './lock/lock.js';
import { isLostRace, isStorageError } from './errors.js';
import type { Storage } from './storage.js';

/*
 * A lease with a fencing token, in one file of a storage. The file names the holder and its heartbeat. Each change
 * replaces exactly the version that the process has read, so of several processes, one succeeds.
 *
 * - Taking the lease raises the token. The file stays after a release, so tokens never repeat. If a person removed the
 *   file or restored an old one, `highest` finds the tokens that holders wrote into the files which the lease protects.
 * - A heartbeat raises a number. It fails after another process took the lease.
 * - A holder whose heartbeats do not arrive is told to stop before a waiter takes the lease: it counts from the beginning of
 *   its last heartbeat, and stops one heartbeat early.
 * - A look may show an earlier state, from a cache. Tokens and heartbeats only grow, so a lower number is no news.
 * - A waiter takes the lease if the holder released it, certainly died on this machine, or sent no heartbeat for a whole
 *   lease. The waiter measures with its own monotonic clock, by the rules in `src/store/lock/holder.mjs`.
 * - A waiter may ask the holder for the lease. The holder learns it with its next heartbeat, and may release it. Other
 *   waiters then leave it to the one that asked, for a few looks.
 *
 * A paused holder may still believe that it has the lease. So the lease alone protects no file: the holder also writes
 * its token into the files that it protects, and replaces them with `replace`. It stops if a file has a higher token.
 */

const LEASE_MS = 30_000;
const BEAT_MS = 5_000;
const POLL_MS = 1_000;
/** A released lease that a waiter asked for is left to this waiter for this long. */
const RESERVED_MS = 5_000;
/** Without a file of the lease, an earlier holder may be alive that has not written its token anywhere. */
const SKIPPED_TOKENS = 100;
/** The longest time of a timer of Node. */
const MOST_TIMER_MS = 2 ** 31 - 1;

const State = z.object({
  token: z.int().positive(),
  id: z.string(),
  beat: z.int().nonnegative(),
  released: z.boolean(),
  holder: z.object({ what: z.string(), pid: z.int(), host: z.string(), place: z.string() }),
  /** When the holder took the lease, by its clock. For messages only. */
  since: z.string(),
  /** What the waiter does that asked the holder for the lease. */
  askedBy: z.string().optional(),
});
type State = z.infer<typeof State>;

/**
 * Options for taking a lease. Times are in milliseconds. Default of `leaseMs`: 30,000; of `beatMs`: 5,000. Each heartbeat is
 * a write, and each attempt of a waiter a read.
 */
export interface LeaseOptions extends LockOptions {
  /** Asks a live holder to release the lease. Default: false. */
  asks?: boolean | undefined;
  /** Finds the highest token in the files that the lease protects; 0 if there is none. A new token is higher. */
  highest?: (() => Promise<number>) | undefined;
}

/** Another process took the lease while this process was paused or could not reach the storage. */
export class LeaseLostError extends TidemarkError {
  constructor(storage: Storage, key: string, cause?: unknown) {
    super('Internal', `${storage.name}: another process took the lease ${key}.`, {
      todo: 'This process was paused, or could not reach the storage for too long. Another process does the work now.',
      retryable: true,
      cause,
    });
  }
}

/** A lease that this process holds. */
export class Lease {
  /** Fencing token. Each holder has a higher one than all holders before it. */
  readonly token: number;
  readonly #storage: Storage;
  readonly #key: string;
  readonly #ended = new AbortController();
  readonly #asked = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #beatMs: number;
  readonly #validMs: number;
  #deadline: NodeJS.Timeout | undefined;
  /** Whether the lease was released, or certainly taken by another process. */
  #isOver = false;
  #state: State;
  #version: string;
  /** The last heartbeat, so that only one is in flight. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  /** Number of heartbeats that have not been answered. */
  #waiting = 0;

  /** @param held `begun`: when the request began that took the lease, in milliseconds of the monotonic clock */
  constructor(
    storage: Storage,
    key: string,
    held: { state: State; version: string; beatMs: number; leaseMs: number; begun: number },
  ) {
    this.#storage = storage;
    this.#key = key;
    this.#state = held.state;
    this.#version = held.version;
    this.token = held.state.token;
    this.#beatMs = held.beatMs;
    this.#validMs = Math.max(held.leaseMs - held.beatMs, held.leaseMs / 2);
    this.#renewed(held.begun);
    // Ignore errors here. If the lease is lost, `assertHeld` has aborted `lost`. After any other error, the next
    // heartbeat tries again.
    this.#timer = setInterval(() => {
      if (this.#waiting === 0) void this.assertHeld().catch(() => undefined);
    }, held.beatMs);
    this.#timer.unref();
  }

  /**
   * Aborted when the lease is lost or released, or was not renewed in time. In the last case, another process may take it at
   * any time: only `assertHeld` can tell.
   */
  get lost(): AbortSignal {
    return this.#ended.signal;
  }

  /** Aborted when another process asked for the lease. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /**
   * Sends a heartbeat now. After that, no other process can take the lease for the time of one lease.
   * @throws LeaseLostError when another process has the lease
   * @throws StorageError `unreachable`: then this process does not know whether it has the lease
   */
  async assertHeld(): Promise<void> {
    this.#waiting++;
    const beat = this.#last.then(() => this.#write({ beat: this.#state.beat + 1 }));
    this.#last = beat.catch(() => undefined).finally(() => this.#waiting--);
    return beat;
  }

  /** Releases the lease. Does nothing when the lease is lost. If the storage cannot be reached, the lease expires. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
    if (!this.#isOver) await this.#write({ released: true }).catch(() => undefined);
    this.#end();
  }

  async #write(change: Partial<State>): Promise<void> {
    for (;;) {
      if (this.#isOver) throw new LeaseLostError(this.#storage, this.#key);
      const next = { ...this.#state, ...change };
      const begun = performance.now();
      try {
        this.#version = await this.#storage.replace(this.#key, encode(next), this.#version);
        this.#state = next;
        this.#renewed(begun);
        return;
      } catch (error) {
        if (!isStorageError(error, 'changed')) throw error;
        await this.#lookAgain(error);
      }
    }
  }

  /**
   * Reads the file after a refused heartbeat. The answer to an earlier one may have been lost, or a waiter has asked for
   * the lease. Then the file still names this holder.
   */
  async #lookAgain(refused: unknown): Promise<void> {
    const found = await readState(this.#storage, this.#key);
    const { token = Infinity, id, beat = 0 } = found?.state ?? {};
    if (found === undefined || (id !== this.#state.id && token >= this.token)) throw this.#lose(refused);
    if (id === this.#state.id && beat >= this.#state.beat && found.version !== this.#version) {
      this.#state = found.state;
      this.#version = found.version;
      if (found.state.askedBy !== undefined) this.#asked.abort();
    } else {
      // An earlier state. Look again, until a look shows the current one or the time is over.
      await delay(Math.min(this.#beatMs, POLL_MS), undefined, { ref: false });
    }
  }

  /** @param begun when the request began that renewed the lease */
  #renewed(begun: number): void {
    clearTimeout(this.#deadline);
    if (this.lost.aborted) return;
    const left = Math.min(begun + this.#validMs - performance.now(), MOST_TIMER_MS);
    this.#deadline = setTimeout(() => this.#ended.abort(), left);
    this.#deadline.unref();
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    clearTimeout(this.#deadline);
    this.#ended.abort();
  }

  #lose(cause: unknown): LeaseLostError {
    this.#end();
    return new LeaseLostError(this.#storage, this.#key, cause);
  }
}

/** Tries to take a lease. Remembers between attempts what it observed about the holder. */
export class LeaseSeeker {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #options: LeaseOptions & { leaseMs: number; beatMs: number; place: string };
  #watch: Watch | undefined;
  #holder: State['holder'] | undefined;

  constructor(storage: Storage, key: string, options: LeaseOptions) {
    this.#storage = storage;
    this.#key = key;
    const { leaseMs = LEASE_MS, beatMs = BEAT_MS, place = findPlace() } = options;
    this.#options = { ...options, leaseMs, beatMs, place };
  }

  /** Takes the lease if it is free or its holder is dead. Returns undefined if a live process holds it. */
  async attempt(): Promise<Lease | undefined> {
    const { leaseMs, beatMs, place, asks = false } = this.#options;
    const found = await readState(this.#storage, this.#key);
    if (found === undefined) return this.#take(undefined, (body) => this.#storage.create(this.#key, body));
    const { state, version } = found;
    this.#watch = look(this.#watch, state, performance.now(), 2 * beatMs);
    if (state.released) {
      if (state.askedBy !== undefined && !asks && this.#watch.unchangedMs < RESERVED_MS) return undefined;
    } else {
      this.#holder = state.holder;
      if (this.#watch.unchangedMs < leaseMs && !isCertainlyGone(state.holder, place)) {
        if (asks && state.askedBy === undefined) await this.#ask(state, version);
        return undefined;
      }
    }
    return this.#take(state.token, (body) => this.#storage.replace(this.#key, body, version));
  }

  /** Describes the holder for messages. */
  get holder(): string {
    return describeHolder(this.#holder);
  }

  /** Asks the holder for the lease. If the holder sends a heartbeat meanwhile, the next attempt asks again. */
  async #ask(state: State, version: string): Promise<void> {
    const asked = encode({ ...state, askedBy: this.#options.what });
    await this.#storage.replace(this.#key, asked, version).catch((error: unknown) => {
      if (!isLostRace(error)) throw error;
    });
  }

  /** @param before token of the last holder; undefined without a file */
  async #take(before: number | undefined, write: (body: Buffer) => Promise<string>): Promise<Lease | undefined> {
    const { what, leaseMs, beatMs, place, highest } = this.#options;
    const written = (await highest?.()) ?? 0;
    const skipped = before === undefined && written > 0 ? SKIPPED_TOKENS : 0;
    const token = Math.max(before ?? 0, written) + skipped + 1;
    const since = new Date().toISOString();
    const state: State = { token, id: randomUUID(), beat: 0, released: false, holder: thisProcess(what, place), since };
    const begun = performance.now();
    try {
      const version = await write(encode(state));
      this.#watch = undefined;
      return new Lease(this.#storage, this.#key, { state, version, beatMs, leaseMs, begun });
    } catch (error) {
      if (isLostRace(error)) return undefined;
      throw error;
    }
  }
}

/** Options for a process that waits for a lease. */
export type WaitOptions = LeaseOptions & LockWaitOptions;

/**
 * Takes a lease. Waits for a live holder, and takes the lease from a dead one. The caller must release it.
 * @throws TidemarkError `Internal` after a wait of `waitMs`
 * @throws AbortError when `signal` aborts
 */
export async function takeLease(storage: Storage, key: string, options: WaitOptions): Promise<Lease> {
  const seeker = new LeaseSeeker(storage, key, options);
  return take(seeker, `lease ${key} of ${storage.name}`, { pollMs: POLL_MS, ...options });
}

/**
 * Reads who holds a lease, or held it last, without taking it. Undefined if no process ever took it.
 * @throws TidemarkError `Internal` if the file is no lease
 */
export async function readLease(storage: Storage, key: string): Promise<State | undefined> {
  return (await readState(storage, key))?.state;
}

async function readState(storage: Storage, key: string): Promise<{ state: State; version: string } | undefined> {
  const found = await storage.read(key);
  if (found === undefined) return undefined;
  try {
    return { state: State.parse(JSON.parse(found.body.toString('utf8'))), version: found.version };
  } catch (error) {
    throw new TidemarkError('Internal', `${storage.name}: ${key} is no lease of this version of Tidemark.`, {
      todo: 'If no other version of Tidemark uses this storage, remove this file. The next holder continues with higher tokens.',
      cause: error,
    });
  }
}

function encode(state: State): Buffer {
  return Buffer.from(`${JSON.stringify(state)}\n`);
}
