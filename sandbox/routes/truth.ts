import { Readable } from 'node:stream';
import { setImmediate as others } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../http/errors.js';
import type { Sandbox } from '../sandbox.js';
import { TRUTH_TABLES } from '../world/truth.js';

/** Number of characters that are sent in one piece of the answer. */
const CHUNK = 64 * 1024;
/** Maximum number of days between day 0 and a requested day, in either direction. */
const MAX_DAY = 3650;

/**
 * Routes under `/_sandbox/truth`. They return the market of a day as tables, with one JSON object per line. Rows are
 * computed while the client reads them.
 */
export function truthRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/_sandbox/truth', () => Object.entries(TRUTH_TABLES).map(([table, { grain }]) => ({ table, grain })));

  app.get('/_sandbox/truth/:table', async (request, reply) => {
    const { table } = request.params as { table: string };
    const query = request.query as Record<string, unknown>;
    if (!Object.hasOwn(TRUTH_TABLES, table)) {
      throw new Refusal(404, {
        detail: `There is no table "${table}". The tables are ${Object.keys(TRUTH_TABLES).join(', ')}.`,
      });
    }
    const { world } = sandbox;
    const day = readDay(sandbox, 'day', query['day']) ?? sandbox.day;
    const from = readDay(sandbox, 'from', query['from']) ?? day;
    const rows = TRUTH_TABLES[table]!.rows(world, { from, day });
    return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(linesOf(rows)));
  });
}

/**
 * Parses a day in a query: a number counted from the start date, or a calendar date.
 *
 * @throws Refusal with status 400 for any other text and for a day out of range
 */
function readDay({ world }: Sandbox, name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : '';
  const day = /^-?\d{1,5}$/.test(text) ? Number(text) : world.dayOf(text);
  if (day === undefined || Math.abs(day) > MAX_DAY) {
    const wanted = `Expected the number of a day, from -${MAX_DAY} to ${MAX_DAY}, or its date as yyyy-mm-dd.`;
    throw new Refusal(400, { [name]: [wanted] });
  }
  return day;
}

/** Yields lines in larger pieces. Between two pieces, the sandbox serves other requests. */
async function* linesOf(rows: Iterable<object>): AsyncGenerator<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${JSON.stringify(row)}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
    await others();
  }
  if (chunk !== '') yield chunk;
}
