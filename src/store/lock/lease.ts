/*
 * Decides when the holder of a lock counts as dead. The functions use no files and no clock, so that tests can check
 * every rule.
 *
 * The wall clocks of two machines differ, and process ids are not unique: in every container, the main process has the
 * id 1. So a waiter watches the holder's heartbeat and measures with its own monotonic clock. If the heartbeat does not
 * change for a whole lease, the holder counts as dead.
 *
 * Terms:
 * - holder: the process that has the lock
 * - waiter: a process that wants the lock
 * - token: random id that a process gets each time it takes the lock
 * - lease: how long a lock lasts without a heartbeat
 */

/** What one waiter has observed about a holder. */
export interface Watch {
  /** The holder and its heartbeat, as this waiter saw them last. */
  seen: string;
  /** How long this waiter has seen the same holder with the same heartbeat, in milliseconds. */
  unchangedMs: number;
  /** When this waiter looked last, in milliseconds of its monotonic clock. */
  at: number;
  /** Whether this waiter has seen the heartbeat of this holder change. */
  moved: boolean;
}

/**
 * Updates what a waiter knows after one more look at the holder.
 * @param longestStepMs the most that one look may add to `unchangedMs`. The limit matters for a waiter that was paused
 * (SIGSTOP, paused container, suspended machine): it observed nothing during the pause.
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
  /** What the holder does, such as `tidemark replay`. Messages show this text. */
  what: string;
  pid: number;
  host: string;
  /** Identifies the boot and process namespace to which `pid` belongs; empty if the system does not report them. */
  place: string;
}

/** Describes a holder for messages. */
export function describeHolder(holder: Pick<Holder, 'what' | 'pid' | 'host'> | undefined): string {
  return holder === undefined ? 'another process' : `${holder.what} (process ${holder.pid} on ${holder.host})`;
}

/**
 * Whether the holder is certainly dead: it ran in the boot and namespace of this process (`here`), and no process there
 * has its id now. If a process has that id, the answer is false: the process may be the holder, or may reuse its id. The
 * lease then decides.
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
