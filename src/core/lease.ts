/*
 * Decides when the holder of a lock is considered dead. Pure functions without files or clock, so that every rule can
 * be tested.
 *
 * The wall clocks of two machines differ, and process ids repeat (in a container, every main process is 1). So a waiter
 * watches the holder's heartbeat with its own monotonic clock. The holder is dead if the heartbeat does not change for
 * a whole lease.
 *
 * Terms:
 * - holder: the process that has the lock
 * - waiter: a process that wants the lock
 * - token: random id that a process gets each time it takes the lock
 * - lease: how long a lock lasts without a heartbeat
 */

/** One waiter's observations of a holder. */
export interface Watch {
  /** Holder and heartbeat at this waiter's last look. */
  seen: string;
  /** For how many milliseconds this waiter has seen the same holder and heartbeat. */
  unchangedMs: number;
  /** Time of the last look, by the waiter's monotonic clock, in milliseconds. */
  at: number;
  /** Whether the waiter saw this holder's heartbeat change. */
  moved: boolean;
}

/**
 * Adds one look at the holder to a waiter's observations.
 * @param longestStepMs most time that one look may add to `unchangedMs`. A paused waiter (SIGSTOP, a paused container,
 * a suspended machine) learned nothing about the holder during the pause.
 */
export function look(before: Watch | undefined, seen: string, at: number, longestStepMs: number): Watch {
  if (before === undefined || holderOf(before.seen) !== holderOf(seen))
    return { seen, unchangedMs: 0, at, moved: false };
  if (before.seen !== seen) return { seen, unchangedMs: 0, at, moved: true };
  const step = Math.min(Math.max(at - before.at, 0), longestStepMs);
  return { ...before, unchangedMs: before.unchangedMs + step, at };
}

/** The holder of a lock, as its file `holder.json` describes it. */
export interface Holder {
  /** The holder's work, for messages, such as `tidemark replay`. */
  what: string;
  pid: number;
  host: string;
  /** Boot and process namespace in which `pid` is valid; empty if the system does not report them. */
  place: string;
}

/**
 * Whether a process is certainly dead: no process has its id in the same boot and namespace. If a process has this id,
 * the lease decides, because ids are reused.
 */
export function isCertainlyGone(
  holder: Pick<Holder, 'pid' | 'place'>,
  here: string,
  exists: (pid: number) => boolean,
): boolean {
  return here !== '' && holder.place === here && !exists(holder.pid);
}

/** Returns the name of a holder's folder in the lock: `<token>.<heartbeat>`. */
export function nameOf(token: string, heartbeat: number): string {
  return `${token}.${heartbeat}`;
}

function holderOf(name: string): string {
  return name.replace(/\.\d+$/, '');
}
