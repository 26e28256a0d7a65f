import { z } from 'zod';
import { reshape } from '../../../schemas/v2/empty-shapes.js';
import { WatchListPage } from '../../../schemas/v2/watch.js';
import { ContractError, NotFoundError, type ApiClient } from '../../api/index.js';
import { canonicalId, isUsable, keysOf, readItems } from '../../base/company-id.js';
import type { Config } from '../../config/config.js';
import { TidemarkError } from '../../base/errors.js';
import { readJson } from '../../base/json/json-nodes.js';
import { openPublished } from '../../warehouse/builds/published.js';
import { askLargest } from '../../api/page-sizes.js';

/** A watched company as the API lists it. */
export interface Watch {
  id: string;
  name: string | null;
  country: string | null;
  since: string | null;
  /** Null when the API lists no fields. */
  fields: string[] | null;
}

/** Reads all watched companies of the account, page by page. Leaves out ids that the warehouse cannot store. */
export async function readWatches(client: ApiClient): Promise<Watch[]> {
  const found = new Map<string, Watch>();
  const listed = new Set<string>();
  for (let page = 1; ; page++) {
    const { body, data } = await askLargest(client.v2.watch.list, { page });
    const before = listed.size;
    // Parse the raw body: the client drops items whose id exceeds the range of a number.
    const items = (reshape(WatchListPage, readJson(body)) as { data: unknown[] }).data;
    for (const [i, key] of keysOf(readItems(body)).entries()) {
      listed.add(key);
      if (!isUsable(key)) continue;
      const item = items[i] as Record<string, unknown>;
      const text = (name: string): string | null => (typeof item[name] === 'string' ? item[name] : null);
      const fields = z.array(z.string()).safeParse(item['fields']);
      found.set(key, {
        id: key,
        name: text('name'),
        country: text('country_code'),
        since: text('date'),
        fields: fields.success ? fields.data : null,
      });
    }
    const total = data.total_results;
    if (listed.size === before || (typeof total === 'number' && listed.size >= total)) return [...found.values()];
  }
}

/**
 * Reads the watched fields of each company without fields in the list. Sends one request per company. If the API does
 * not return the fields, they stay null.
 */
export async function readMissingFields(client: ApiClient, watches: readonly Watch[]): Promise<Watch[]> {
  const read = async (watch: Watch): Promise<Watch> => {
    const { data } = await client.v2.watch.fields(watch.id);
    return { ...watch, fields: [...data] };
  };
  // The client limits the requests in flight.
  return Promise.all(
    watches.map(async (watch) =>
      watch.fields === null
        ? read(watch).catch((error: unknown) => {
            if (error instanceof NotFoundError || error instanceof ContractError) return watch;
            throw error;
          })
        : watch,
    ),
  );
}

/**
 * Runs `watch.select` on the published warehouse and returns its column `company_id`, or its first column.
 * @throws TidemarkError `InvalidConfig` when no query is declared or a value is no company id
 */
export async function declaredCompanies(config: Config): Promise<string[]> {
  const select = config.watch?.select;
  if (select === undefined) {
    throw new TidemarkError('InvalidConfig', `${config.file} does not declare which companies to watch.`, {
      todo: 'Add `watch.select`: a query that returns the column company_id.',
    });
  }
  const published = await openPublished(config.dataDir);
  try {
    const { columns, rows } = await published.query(select);
    const at = Math.max(0, columns.indexOf('company_id'));
    const ids = rows.map((row) => {
      const text = JSON.stringify(row[at] ?? null).replaceAll('"', '');
      const id = canonicalId(text);
      if (id !== null) return id;
      throw new TidemarkError('InvalidConfig', `watch.select returns "${text}", which is not a company id.`, {
        todo: 'Change the query of `watch.select`, so that it returns the ids in a column named company_id.',
      });
    });
    return [...new Set(ids)];
  } finally {
    published.close();
  }
}
