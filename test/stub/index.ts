import type { AddressInfo } from 'node:net';
import { moveToDay } from './days.js';
import { DEFAULTS, type StubOptions } from './options.js';
import { createStubServer } from './server.js';
import type { StubState } from './state.js';
import { makeTenders } from './tenders.js';

/**
 * A Company Data API written by hand from the reference. It shares no code, schema or data with the sandbox; an import
 * rule enforces that. It differs from the sandbox wherever the reference says "not shown"; README.md lists the
 * differences.
 */
export interface StubApi {
  url: string;
  key: string;
  state: StubState;
  close(): Promise<void>;
}

export async function startStub(options: Partial<StubOptions> = {}): Promise<StubApi> {
  const all = { ...DEFAULTS, ...options };
  const state: StubState = {
    options: all,
    day: 0,
    companies: [],
    byId: new Map(),
    departed: [],
    tenders: makeTenders(all.tenders),
    events: [],
    watches: new Map(),
    callback: null,
    secret: 'stub secret/0123+456=',
    turn: 0,
    requests: [],
    jobs: { ahead: 0, byId: new Map() },
    limitedUntil: 0,
    daily: { used: 0, total: 0 },
    forbidden: [],
    allowed: null,
    faults: [],
    dailyLimitAnswers: 0,
    broken: () => false,
  };
  moveToDay(state, 0);
  const key = 'stub-key-0123456789';
  const server = createStubServer(state, key);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    state,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
