import type { FastifyInstance } from 'fastify';
import type { ApiRow, LiveAnswer, OperationsAnswer } from '../../../schemas/explorer/api.js';
import { readSqlFile } from '../../duckdb/sql-files.js';
import { answer, hasTables, query, type Routes } from './context.js';

/** Reads the open runs from Temporal. Never rejects: without a server, the answer says so. */
export type ReadLive = () => Promise<LiveAnswer>;

/** Routes about runs, coverage and quality. */
export function operationRoutes(app: FastifyInstance, routes: Routes, live: ReadLive): void {
  app.get('/api/v1/operations', async (_, reply) =>
    answer(routes, reply, async (reader, { tables }): Promise<OperationsAnswer> => {
      const read = async (sql: string): Promise<ApiRow[]> => (hasTables(tables, sql) ? reader.rows<ApiRow>(sql) : []);
      const report = async (name: string): Promise<ApiRow[]> => read(readSqlFile(`report/${name}.sql`).text);
      const own = async (name: string): Promise<ApiRow[]> => read(query(`operations/${name}`));
      return {
        nights: await report('nights'),
        runs: await report('runs'),
        coverage: await report('coverage'),
        gaps: await report('gaps'),
        forecasts: await report('forecasts'),
        requests: await report('requests'),
        quota: await report('quota'),
        freshness: await report('freshness'),
        drift: await report('drift'),
        segments: await own('segments'),
        rejects: await own('open-rejects'),
        checks: await own('failing-checks'),
        models: await own('models'),
        receipt: (await own('receipt'))[0] ?? null,
      };
    }),
  );
  app.get('/api/v1/live', async () => live());
}
