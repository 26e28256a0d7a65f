import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld } from '../sandbox/world/index.js';
import type * as Landing from '../src/landing/index.js';
import type * as Redact from '../src/base/text/redact.js';
import { Data } from '../src/store/data.js';
import { report } from './report/report.js';
import { measured, ROOT, type Cell } from './report/result.js';
import { interleaved } from './rounds.js';

/** Number of answers in a chunk; half of them are company records, half financial reports. */
const ROWS = 500;
const ROUNDS = 31;
const IN_FLIGHT = 16;
const KEY = 'bench-key-0123456789abcdef';

/** What an answer goes through after it was received. */
const STEPS = ['search the API key', 'spool', 'part'] as const;

/**
 * Measures the CPU time of an answer between its check and its manifest, step by step. `LANDING_AGAINST` is the folder of
 * another clone of Tidemark, whose code does the same work in turns with this one.
 */
export async function benchLanding(): Promise<void> {
  const against = process.env['LANDING_AGAINST'];
  const clones = { 'this version': ROOT, ...(against !== undefined && { before: path.resolve(against) }) };
  const world = createWorld({ companies: ROWS / 2, tenders: 0, seed: 1, date: '2026-11-20' });
  const bodies = world
    .companyIds(0)
    .flatMap((id) =>
      [world.company(id, 0), world.financialReport(id, 0)].map((body) => Buffer.from(JSON.stringify(body ?? {}))),
    );
  const rows: { name: string; cells: Cell[] }[] = [];
  const variants: Parameters<typeof interleaved>[0] = {};
  for (const [clone, folder] of Object.entries(clones)) {
    const landing = (await import(path.join(folder, 'src/landing/index.ts'))) as typeof Landing;
    const { createRedactor } = (await import(path.join(folder, 'src/base/text/redact.ts'))) as typeof Redact;
    const redactor = createRedactor(KEY);
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
    process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
    let chunks = 0;
    let texts: string[] = [];
    let writer: Landing.PartWriter;
    const steps: Record<(typeof STEPS)[number], () => Promise<void> | void> = {
      'search the API key': () => void (texts = texts.map((text) => redactor.data(text))),
      spool: async () => {
        for (const [id, body] of texts.entries())
          // Older versions return a promise.
          await Promise.resolve(
            writer.add(
              {
                request_key: `GET /v2/companies/${id}`,
                entity_id: String(id),
                row_kind: 'record',
                status: 200,
                fetched_at: '2026-11-20T02:00:00.123Z',
                body,
              },
              IN_FLIGHT,
            ),
          );
      },
      part: async () => void (await writer.commit()),
    };
    for (const step of STEPS)
      variants[`${step}, ${clone}`] = async () => {
        if (step === STEPS[0]) {
          // Older versions need `dataDir`.
          const target = {
            dataDir,
            data: new Data(dataDir),
            run: 'r',
            date: '2026-11-20',
            market: 'm',
            chunk: `c${chunks++}`,
          };
          writer = await landing.PartWriter.open({ ...target, stream: 'companies' });
          texts = bodies.map((body) => body.toString('utf8'));
        }
        return { run: steps[step] };
      };
  }
  const result = await interleaved(variants, ROUNDS);
  for (const clone of Object.keys(clones)) {
    const cpu = STEPS.map((step) =>
      (result.get(`${step}, ${clone}`)?.cpu ?? []).map((seconds) => (seconds * 1e6) / ROWS),
    );
    const all = cpu[0]?.map((_, round) => cpu.reduce((sum, each) => sum + (each[round] ?? 0), 0)) ?? [];
    rows.push({ name: clone, cells: [...cpu, all].map((values) => measured(values, 'count')) });
  }
  report({
    bench: 'landing',
    settings: {},
    rounds: ROUNDS,
    tables: [{ name: 'steps', columns: ['CPU µs of each answer', ...STEPS, 'all'], rows }],
  });
}
