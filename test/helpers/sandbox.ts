import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningSandbox } from './processes.js';

/** Number of requests the sandbox answered, of one route (`GET /v2/companies/{id}`) or all. */
export async function countRequests(sandbox: RunningSandbox, route?: string): Promise<number> {
  const said = (await (await fetch(`${sandbox.url}/_sandbox/requests`)).json()) as {
    total: number;
    routes: Record<string, number>;
  };
  return route === undefined ? said.total : (said.routes[route] ?? 0);
}

/** The most requests that the sandbox had in flight at the same time. */
export async function mostInFlight({ url }: Pick<RunningSandbox, 'url'>): Promise<number> {
  const answer = await fetch(`${url}/_sandbox/requests`);
  return ((await answer.json()) as { mostInFlight: number }).mostInFlight;
}

/** Advances the sandbox's market by some nights. */
export async function advanceDay(sandbox: RunningSandbox, days = 1): Promise<void> {
  await control(sandbox, 'day', { advance: days });
}

/** Makes a control call to the sandbox. */
export async function control(sandbox: RunningSandbox, what: string, body: object): Promise<void> {
  const response = await fetch(`${sandbox.url}/_sandbox/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`sandbox control ${what}: ${response.status} ${await response.text()}`);
}

/** Waits for a condition that the test does not cause directly; names it on timeout. */
export async function waitUntil(
  what: string,
  holds: () => Promise<boolean>,
  { everyMs = 50, withinMs = 120_000 } = {},
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await sleep(everyMs);
  }
}
