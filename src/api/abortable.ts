/** Something that ends when a signal aborts. */
export interface Abortable {
  abort(): void;
}

/**
 * The listener of a signal, and what it ends. A Set would keep members that left until the next full garbage
 * collection, because the tables that it replaces stay linked.
 */
class Group {
  readonly entries: { member: Abortable; place: number }[] = [];

  handleEvent(): void {
    for (const { member } of this.entries) member.abort();
  }
}

const groups = new WeakMap<AbortSignal, Group>();

/**
 * Aborts `member` with the signal. All members of a signal share one listener, because each listener costs time.
 * @returns the function that undoes this; call it once
 */
export function joinSignal(signal: AbortSignal | undefined, member: Abortable): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    member.abort();
    return () => undefined;
  }
  let group = groups.get(signal);
  if (group === undefined) groups.set(signal, (group = new Group()));
  const { entries } = group;
  const entry = { member, place: entries.length };
  if (entries.push(entry) === 1) signal.addEventListener('abort', group);
  return () => {
    // The last entry takes the place of the one that leaves.
    const last = entries.pop()!;
    if (last !== entry) entries[(last.place = entry.place)] = last;
    if (entries.length === 0) signal.removeEventListener('abort', group);
  };
}
