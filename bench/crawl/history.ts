/** An activity in a history. All times are milliseconds since 1970. */
export interface Activity {
  name: string;
  scheduled: number;
  started: number;
  ended: number;
}

interface HistoryEvent {
  eventId?: unknown;
  eventTime?: { seconds?: unknown; nanos?: number | null } | null;
  activityTaskScheduledEventAttributes?: { activityType?: { name?: string | null } | null } | null;
  activityTaskStartedEventAttributes?: object | null;
  activityTaskCompletedEventAttributes?: { scheduledEventId?: unknown; startedEventId?: unknown } | null;
}

/** Reads from the events of a workflow when it ran, and when each of its completed activities ran. */
export function readHistory(events: readonly HistoryEvent[]): {
  activities: Activity[];
  opened: number;
  closed: number;
} {
  const at = ({ eventTime }: HistoryEvent): number =>
    Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6;
  const scheduled = new Map<string, { name: string; at: number }>();
  const started = new Map<string, number>();
  const activities: Activity[] = [];
  for (const event of events) {
    const id = String(event.eventId);
    if (event.activityTaskScheduledEventAttributes)
      scheduled.set(id, { name: event.activityTaskScheduledEventAttributes.activityType?.name ?? '', at: at(event) });
    if (event.activityTaskStartedEventAttributes) started.set(id, at(event));
    const ended = event.activityTaskCompletedEventAttributes;
    if (!ended) continue;
    const from = scheduled.get(String(ended.scheduledEventId))!;
    activities.push({
      name: from.name,
      scheduled: from.at,
      started: started.get(String(ended.startedEventId))!,
      ended: at(event),
    });
  }
  return { activities, opened: at(events[0] ?? {}), closed: at(events.at(-1) ?? {}) };
}
