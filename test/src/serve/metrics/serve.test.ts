import { expect, it } from 'vitest';
import { createScrape, remembered } from '../../../../src/serve/metrics/collectors.js';
import { createRegistry, newGauge } from '../../../../src/serve/metrics/registry.js';
import { serveMetrics } from '../../../../src/serve/metrics/serve.js';
import { scrape, valueOf } from '../../../helpers/open-metrics.js';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

it('answers a scrape with the last values if a source cannot be read', async () => {
  const registry = createRegistry();
  const gauge = newGauge(registry, 'tidemark_test', 'A value.');
  let fails = false;
  const collect = async (): Promise<void> => {
    if (fails) throw new Error('not reachable');
    gauge.set(7);
  };
  const server = await serveMetrics(LOOPBACK, createScrape(registry, [{ name: 'test', collect }]));
  try {
    expect(valueOf(await scrape(server.url), 'tidemark_collector_success')).toBe(1);
    fails = true;
    const now = await scrape(server.url);
    expect(valueOf(now, 'tidemark_collector_success', { collector: 'test' })).toBe(0);
    expect(valueOf(now, 'tidemark_test')).toBe(7);
  } finally {
    await server.close();
  }
});

it('refuses a port that is in use, and names the option', async () => {
  const server = await serveMetrics(LOOPBACK, async () => '');
  const port = Number(new URL(server.url).port);
  try {
    await expect(serveMetrics({ ...LOOPBACK, port }, async () => '')).rejects.toMatchObject({
      type: 'InvalidInput',
      todo: expect.stringContaining('--metrics-port') as string,
    });
  } finally {
    await server.close();
  }
});

it('answers only GET and HEAD of /metrics', async () => {
  const server = await serveMetrics(LOOPBACK, async () => '# EOF\n');
  try {
    const statusOf = async (path: string, method: string) =>
      (await fetch(new URL(path, server.url), { method })).status;
    expect(await statusOf('/metrics?x=1', 'GET')).toBe(200);
    expect(await statusOf('/metrics', 'HEAD')).toBe(200);
    expect(await statusOf('/metrics', 'POST')).toBe(405);
    expect(await statusOf('/', 'GET')).toBe(404);
  } finally {
    await server.close();
  }
});

it('asks once for several scrapes, and again after an error', async () => {
  let asked = 0;
  const ask = remembered(60_000, async () => {
    asked++;
    if (asked === 1) throw new Error('not reachable');
    return asked;
  });
  await expect(ask()).rejects.toThrow('not reachable');
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
  expect(await ask()).toBe(2);
});
