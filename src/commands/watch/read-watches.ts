import { InvalidRequestError, type ApiClient } from '../../api-client/index.js';
import type { Config } from '../../core/config.js';
import { TidemarkError } from '../../core/errors.js';
import { openPublished } from '../../warehouse/published.js';

/** A watched company as the API lists it. */
export interface Watch {
  id: string;
  name: string | null;
  country: string | null;
  since: string | null;
  /** Null where the API lists none. */
  fields: string[] | null;
}

// The largest page is not in the reference, and a refusal says only "invalid".
const PAGE_SIZES = [100, 50, 25, 10];

/** Every watched company of the account, page by page until nothing new comes. */
export async function readWatches(client: ApiClient): Promise<Watch[]> {
  const found = new Map<string, Watch>();
  const size = { index: 0 };
  for (let page = 1; ; page++) {
    const { data, total_results: total } = await readPage(client, page, size);
    const before = found.size;
    for (const item of data) {
      if (item?.id === undefined) continue;
      const text = (key: string): string | null => (typeof item[key] === 'string' ? item[key] : null);
      const id = String(item.id);
      found.set(id, {
        id,
        name: text('name'),
        country: text('country_code'),
        since: text('date'),
        fields: item.fields ?? null,
      });
    }
    if (found.size === before || (typeof total === 'number' && found.size >= total)) return [...found.values()];
  }
}

async function readPage(client: ApiClient, page: number, size: { index: number }): ReturnType<typeof list> {
  for (;;) {
    const per_page = PAGE_SIZES[size.index] ?? 10;
    try {
      return await list(client, page, per_page);
    } catch (error) {
      if (!(error instanceof InvalidRequestError) || page > 1 || size.index >= PAGE_SIZES.length - 1) throw error;
      size.index++;
    }
  }
}

async function list(
  client: ApiClient,
  page: number,
  per_page: number,
): Promise<Awaited<ReturnType<ApiClient['v2']['watch']['list']>>['data']> {
  return (await client.v2.watch.list({ page, per_page })).data;
}

/**
 * Ids of the companies `watch.select` names, asked of the published warehouse: its column `company_id`, else the first.
 * @throws TidemarkError when nothing is declared or the query gives no ids
 */
export async function declaredCompanies(config: Config): Promise<string[]> {
  const select = config.watch?.select;
  if (select === undefined) {
    throw new TidemarkError('InvalidConfig', `${config.file} does not say which companies to watch.`, {
      todo: 'Add `watch.select`: a query that gives company_id.',
    });
  }
  const published = await openPublished(config.dataDir);
  try {
    const { columns, rows } = await published.query(select);
    const at = Math.max(0, columns.indexOf('company_id'));
    const ids = rows.map((row) => JSON.stringify(row[at] ?? null).replaceAll('"', ''));
    const wrong = ids.find((id) => !/^\d+$/.test(id));
    if (wrong !== undefined) {
      throw new TidemarkError('InvalidConfig', `watch.select gives "${wrong}" where a company id belongs.`, {
        todo: 'Name the column company_id in the query.',
      });
    }
    return [...new Set(ids)];
  } finally {
    published.close();
  }
}
