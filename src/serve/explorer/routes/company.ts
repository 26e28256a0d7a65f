import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiRow, CompanyAnswer, Figure, OwnerRow } from '../../../../schemas/explorer/api.js';
import type { Reader } from '../../../warehouse/builds/reader.js';
import { hasTables } from '../../../warehouse/builds/has-tables.js';
import { answer, query, type Routes } from './context.js';

const Params = z.object({ id: z.string().regex(/^-?\d{1,19}$/, 'must be a whole number') });

/** `GET /api/v1/companies/:id`: everything that the published file has about one company. */
export function companyRoutes(app: FastifyInstance, routes: Routes): void {
  app.get('/api/v1/companies/:id', async (request, reply) => {
    const { id } = Params.parse(request.params);
    return answer(routes, reply, async (reader, build) => {
      const found = await readCompany(reader, build.tables, id);
      if (found === null) {
        const error = { message: `There is no company ${id}.`, todo: 'Search for it by name or number.' };
        return reply.code(404).send({ error });
      }
      return found;
    });
  });
}

async function readCompany(reader: Reader, tables: ReadonlySet<string>, id: string): Promise<CompanyAnswer | null> {
  const params = { id: BigInt(id) };
  const read = async <T extends object>(name: string): Promise<T[] | null> => {
    const sql = query(`company/${name}`);
    return hasTables(tables, sql) ? reader.rows<T>(sql, params) : null;
  };
  const [company] = (await read<ApiRow>('company')) ?? [];
  if (company === undefined) return null;
  return {
    company,
    summary: (await read<ApiRow>('summary'))?.[0] ?? null,
    codes: (await read<CompanyAnswer['codes'][number]>('codes')) ?? [],
    years: (await read<ApiRow>('years')) ?? [],
    figures: (await read<Figure>('figures')) ?? [],
    versions: (await read<ApiRow>('versions')) ?? [],
    changes: (await read<ApiRow>('changes')) ?? [],
    markets: (await read<CompanyAnswer['markets'][number]>('markets')) ?? [],
    moves: (await read<ApiRow>('moves')) ?? [],
    people: await read<ApiRow>('people'),
    owners: await read<OwnerRow>('owners'),
    owned: await read<NonNullable<CompanyAnswer['owned']>[number]>('owned'),
    rejects: (await read<ApiRow>('rejects')) ?? [],
  };
}
