import type { FastifyInstance } from 'fastify';
import type { LiveAnswer, OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { readOperations } from '../../report/read-operations.js';
import { answer, type Routes } from './context.js';

/** Reads the open runs from Temporal. Never rejects: without a server, the answer says so. */
export type ReadLive = () => Promise<LiveAnswer>;

/** Asks Temporal how runs ended that the build shows as running. Never rejects. Returns the outcomes by run. */
export type AskFates = (runs: { workflowId: string; run: string }[]) => Promise<ReadonlyMap<string, string>>;

/** Routes about runs, coverage and quality. */
export function operationRoutes(app: FastifyInstance, routes: Routes, live: ReadLive, fates: AskFates): void {
  app.get<{ Querystring: { night?: string } }>('/api/v1/operations', async ({ query: { night } }, reply) =>
    answer(routes, reply, async (reader, { tables }) =>
      withFates(await readOperations(reader, tables, night || null), fates),
    ),
  );
  app.get('/api/v1/live', async () => live());
}

/** Replaces the outcome `running` of runs that have ended since the build was published. */
export async function withFates<T extends Pick<OperationsAnswer, 'runs' | 'quality'>>(
  facts: T,
  ask: AskFates,
): Promise<T> {
  const running = facts.runs.filter(({ outcome }) => outcome === 'running');
  if (running.length === 0) return facts;
  const outcomes = await ask(
    running.map(({ workflow_id, run }) => ({ workflowId: cell(workflow_id), run: cell(run) })),
  );
  const corrected = (row: T['runs'][number]): T['runs'][number] =>
    row['outcome'] === 'running' ? { ...row, outcome: outcomes.get(cell(row['run'])) ?? row['outcome'] } : row;
  return { ...facts, runs: facts.runs.map(corrected), quality: facts.quality.map(corrected) };
}

function cell(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
