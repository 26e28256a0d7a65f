/*
 * When a lock's holder counts as dead. Pure: no files, no clock of its own, so that every rule can be tested.
 *
 * Wall clocks of two machines differ and process ids repeat (in a container everything is process 1). So a waiter watches
 * the holder's heartbeat with its own monotonic clock: a heartbeat that stands still for a whole lease has stopped.
 */

/** What one waiter knows of a holder. */
export interface Watch {
  /** Holder and heartbeat as last seen. */
  seen: string;
  /** How long they have not changed while this waiter looked. */
  unchangedMs: number;
  /** When it last looked, by its monotonic clock. */
  at: number;
  /** Whether the same holder's heartbeat was seen to change. */
  moved: boolean;
}

/**
 * Adds a look at the holder.
 * @param longestStepMs Credit of one look at most: a waiter that stood still itself (SIGSTOP, a paused container, a suspended
 *   machine) learned nothing about the holder meanwhile
 */
export function look(before: Watch | undefined, seen: string, at: number, longestStepMs: number): Watch {
  if (before === undefined || holderOf(before.seen) !== holderOf(seen))
    return { seen, unchangedMs: 0, at, moved: false };
  if (before.seen !== seen) return { seen, unchangedMs: 0, at, moved: true };
  const step = Math.min(Math.max(at - before.at, 0), longestStepMs);
  return { ...before, unchangedMs: before.unchangedMs + step, at };
}

/** Who holds a lock, as far as the lock says. */
export interface Holder {
  /** What it does, for messages. */
  what: string;
  pid: number;
  host: string;
  /** Boot and process namespace in which `pid` means this process; empty where the system does not tell. */
  place: string;
}

/**
 * Whether a process is certainly gone: nothing has its id, in the very namespace and boot the id belongs to. The reverse
 * proves nothing, as ids are used again; then the lease decides.
 */
export function isCertainlyGone(
  holder: Pick<Holder, 'pid' | 'place'>,
  here: string,
  exists: (pid: number) => boolean,
): boolean {
  return here !== '' && holder.place === here && !exists(holder.pid);
}

/** `<token>.<heartbeat>`: the name of a holder's folder in its lock. */
export function nameOf(token: string, heartbeat: number): string {
  return `${token}.${heartbeat}`;
}

function holderOf(name: string): string {
  return name.replace(/\.\d+$/, '');
}
