import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../../src/api-client/index.js';
import { createClock } from '../../../src/core/clock.js';
import { loadConfig } from '../../../src/core/config.js';
import { createLog } from '../../../src/core/log.js';
import { openRun } from '../../../src/crawl/open-run.js';
import { readQuota } from '../../../src/crawl/read-quota.js';
import { makeProject, type Project } from '../../helpers/project.js';

const HOUR_MS = 3_600_000;

describe("this machine's clock against the API's", () => {
  let server: Server;
  let project: Project;
  let date: string | undefined;

  beforeEach(async () => {
    server = createServer((_, response) => {
      response.sendDate = false;
      if (date !== undefined) response.setHeader('date', date);
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    project = makeProject({ api: { url: `http://127.0.0.1:${port}`, key: 'k'.repeat(16) }, temporal: 'none' });
  });

  afterEach(async () => {
    project.remove();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (hoursAhead: number | null, { begins = true } = {}) => {
    date = hoursAhead === null ? undefined : new Date(Date.now() - hoursAhead * HOUR_MS).toUTCString();
    const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
    const deps = {
      config,
      client: createApiClient({ baseUrl: config.api.baseUrl, apiKey: 'k'.repeat(16) }),
      clock: createClock({}),
      log: createLog('test'),
    };
    const ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r', input: {} });
    try {
      const pulse = { beat: () => undefined, signal: new AbortController().signal, attempt: 1 };
      return (await readQuota(deps, ctx, pulse, begins)).clock;
    } finally {
      await deps.client.close();
    }
  };

  it('is not spoken of where it is right, or the API does not tell its own', async () => {
    expect(await ask(0)).toBeNull();
    expect(await ask(null)).toBeNull();
  });

  it('hours off is said, ahead or behind', async () => {
    expect(await ask(3.5)).toMatch(/is 3 hours ahead of the API's/);
    expect(await ask(-0.5)).toMatch(/is (29|30) minutes behind the API's/);
  });

  it('days off is refused before anything is filed under a wrong time', async () => {
    await expect(ask(49)).rejects.toMatchObject({
      type: 'InvalidConfig',
      message: expect.stringMatching(/2 days ahead/),
    });
    await expect(ask(-25)).rejects.toThrow(/1 days behind/);
  });

  it('days off is only said once a run is under way: its end must not fail on it', async () => {
    expect(await ask(49, { begins: false })).toMatch(/is 2 days ahead of the API's .* Set it by NTP/);
  });
});
