import { buildApp } from './http/app.js';
import type { SandboxOptions } from './options.js';

export { DEFAULT_STATUSES, type SandboxOptions } from './options.js';

/** A sandbox that listens on 127.0.0.1. */
export interface RunningSandbox {
  /** Address without a final slash. All routes of version 1, version 2 and the connector start with it. */
  url: string;
  /** API key with all permissions. */
  key: string;
  /** Current day of the market; day 0 is the start date. */
  readonly day: number;
  /** Moves the market to a later or earlier day. Sends the events of the days in between to the callback. */
  moveTo(day: number): void;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts the sandbox in this process, for tests.
 *
 * @param options the options of `tidemark sandbox`; `port` defaults to any free port
 * @throws RangeError for an invalid option
 */
export async function startSandbox({
  port = 0,
  ...options
}: Partial<SandboxOptions> & { port?: number } = {}): Promise<RunningSandbox> {
  const app = await buildApp(options);
  const url = await app.listen({ host: '127.0.0.1', port });
  const { sandbox } = app;
  return {
    url,
    key: sandbox.options.key,
    get day() {
      return sandbox.day;
    },
    moveTo: (day) => sandbox.moveTo(day),
    close: async () => app.close(),
  };
}
