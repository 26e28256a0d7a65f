import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startEchoingProxy, type EchoingProxy } from '../helpers/echoing-proxy.js';
import { createSecretFinder } from '../helpers/find-secret.js';
import { startSystem, type System } from '../helpers/system.js';

// Contains characters that JSON, URLs and HTML escape, and letters that base64 turns into `+` and `/`.
const KEY = 'canary-"7f3a"/9+c2&d4<e6>~?-live-0123456789';
const WEBHOOK_SECRET = 'canary-webhook-"s3cr3t"/+0123456789';

/** Commands that users and scripts run while the API echoes the key. */
const COMMANDS = [
  'doctor',
  'doctor --json',
  'status --json',
  'runs',
  'coverage',
  'quota',
  'rejects --list --limit 1000',
  'rejects --list --json --limit 1000',
  'sql --format csv "SELECT * FROM ops.rejects"',
  'sql "SELECT * FROM core.companies WHERE name LIKE \'Echo%\'"',
  'snapshot --dry-run',
  'watch plan',
  'watch list',
];

describe('an API key that the API echoes', () => {
  let system: System;
  let proxy: EchoingProxy;
  let result: RunResult;
  const output: [what: string, text: string][] = [];
  const finders = [createSecretFinder(KEY), createSecretFinder(WEBHOOK_SECRET)];

  const command = async (line: string, env: Record<string, string> = {}): Promise<void> => {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const debug = { TIDEMARK_DEBUG: '1', LOG_LEVEL: 'trace', ...env };
    const { stdout, stderr, code } = await system.tidemarkWith(debug, ...args);
    output.push([`${line} (exit code ${code})`, stdout + stderr]);
  };
  const run = (type: string, id: string): Promise<RunResult> => system.run(type, id);

  beforeAll(async () => {
    system = await startSystem({ market: { companies: 120, tenders: 5, seed: 3 }, worker: null });
    proxy = await startEchoingProxy(system.api);
    system.project = system.addProject({
      api: { baseUrl: proxy.url },
      personalData: 'contacts',
      watch: { fields: ['company.status'], select: 'SELECT 1000001 AS company_id' },
    });
    system.project.env['TIDEMARK_API_KEY'] = KEY;
    await system.startWorker({ LOG_LEVEL: 'trace', TIDEMARK_WEBHOOK_SECRET: WEBHOOK_SECRET });
    await run('tenderSnapshot', 'tenders/canary');
    result = await run('marketSnapshot', 'snapshot/demo/canary');
    for (const line of COMMANDS) await command(line, { TIDEMARK_WEBHOOK_SECRET: WEBHOOK_SECRET });
    proxy.refuse();
    await run('marketSnapshot', 'snapshot/demo/refused').catch((error: unknown) =>
      output.push([
        'the refused run',
        `${(error as Error).stack} ${JSON.stringify(error)} ${String((error as Error).cause)}`,
      ]),
    );
    for (const line of ['doctor', 'snapshot --no-wait', 'snapshot --dry-run', 'watch list', 'nonsense'])
      await command(line);
    const key = path.join(system.project.dir, 'key');
    writeFileSync(key, `${KEY}\nand more`);
    await command('watch list', { TIDEMARK_API_KEY: '', TIDEMARK_API_KEY_FILE: key });
    await command('watch list', { TIDEMARK_API_URL: `http://127.0.0.1:1/${encodeURIComponent(KEY)}` });
    await system.worker.stop();
    output.push(['the worker', system.worker.output()]);
  });

  afterAll(async () => {
    await system?.stop();
    await proxy?.close();
  });

  it('receives the echoed key in all 12 ways and stores the redacted text', async () => {
    expect(proxy.echoed.size).toBe(12);
    expect(Math.min(...proxy.echoed.values())).toBeGreaterThan(0);
    expect(result).toMatchObject({ outcome: 'partial' });
    const marked = "SELECT count(*)::INTEGER AS n FROM core.companies WHERE name = 'Echo [redacted] Ltd'";
    expect((await system.project.query(marked))[0]?.['n']).toBeGreaterThan(0);
    const rejected = "SELECT count(*)::INTEGER AS n FROM ops.rejects WHERE raw LIKE '%[redacted]%'";
    expect((await system.project.query(rejected))[0]?.['n']).toBeGreaterThan(0);
  });

  it("finds a planted key with the test's own search", async () => {
    const folder = path.join(system.project.dir, 'control');
    mkdirSync(folder);
    for (const [finder, secret] of [[finders[0], KEY] as const, [finders[1], WEBHOOK_SECRET] as const]) {
      const texts = [
        secret,
        JSON.stringify({ secret }),
        `?a=${encodeURIComponent(secret)}`,
        btoa(`Token ${secret}`),
        btoa(`a ${secret} b`),
        `{"a":"\\u00${secret.charCodeAt(0).toString(16)}${JSON.stringify(secret).slice(2, -1)}"}`,
      ];
      for (const [i, text] of texts.entries()) {
        expect(finder?.inText(text), text).not.toEqual([]);
        writeFileSync(path.join(folder, `${i}.txt`), text);
      }
      expect((await finder?.inFolder(folder))?.found.length).toBeGreaterThanOrEqual(texts.length);
    }
  });

  it('writes no key to any file under data/ or in the bucket', async () => {
    const [folder, bucket] = [system.project.dataDir, path.dirname(system.project.landing)];
    for (const finder of finders) {
      const { found, searched } = await finder.inFolder(folder);
      expect(found).toEqual([]);
      expect(searched).toBeGreaterThan(50);
      const inBucket = await finder.inFolder(bucket);
      expect(inBucket.found).toEqual([]);
      expect(inBucket.searched).toBeGreaterThan(20);
    }
  });

  it('sends no key to Temporal: history, memo, search attributes, failures', async () => {
    let events = 0;
    let marks = 0;
    for await (const info of system.temporal.client.workflow.list()) {
      const handle = system.temporal.client.workflow.getHandle(info.workflowId, info.runId);
      const { events: history = [] } = await handle.fetchHistory();
      const description = await handle.describe();
      events += history?.length ?? 0;
      const texts = [
        JSON.stringify([history, description.raw, info.memo, info.typedSearchAttributes]),
        ...payloadTexts([history, description.raw]),
      ];
      // Places where the key would have been.
      marks += texts.filter((text) => text.includes('[redacted]')).length;
      for (const finder of finders)
        for (const text of texts) expect(finder.inText(text), `${info.workflowId}: ${text.slice(0, 200)}`).toEqual([]);
    }
    expect(events).toBeGreaterThan(60);
    expect(marks).toBeGreaterThan(0);
  });

  it('prints no key in commands or the worker, even at trace level', () => {
    expect(output).toHaveLength(COMMANDS.length + 9);
    for (const [what, text] of output) {
      for (const finder of finders) expect(finder.inText(text), what).toEqual([]);
      expect(text.length, what).toBeGreaterThan(0);
    }
    expect(output.map(([, text]) => text).join('\n')).toContain('[redacted]');
  });
});

/** Returns all byte strings inside a value as text. Temporal's payloads hold their JSON as bytes. */
function payloadTexts(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(payloadTexts);
}
