/** Something that ends when a signal aborts. */
export interface Abortable {
  abort(): void;
}

/** The listener of a signal. */
class Group {
  readonly members = new Set<Abortable>();

  handleEvent(): void {
    for (const member of this.members) member.abort();
  }
}

const groups = new WeakMap<AbortSignal, Group>();

/** Aborts `member` with the signal. All members of a signal share one listener, because each listener costs time. */
export function joinSignal(signal: AbortSignal | undefined, member: Abortable): void {
  if (signal === undefined) return;
  if (signal.aborted) return member.abort();
  let group = groups.get(signal);
  if (group === undefined) groups.set(signal, (group = new Group()));
  if (group.members.size === 0) signal.addEventListener('abort', group);
  group.members.add(member);
}

/** Undoes `joinSignal`. */
export function leaveSignal(signal: AbortSignal | undefined, member: Abortable): void {
  const group = signal && groups.get(signal);
  if (group?.members.delete(member) && group.members.size === 0) signal?.removeEventListener('abort', group);
}
