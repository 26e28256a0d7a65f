import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SavedQuery, SchemaAnswer } from '../../../../schemas/explorer/api.js';
import { Failure } from '../../components/basics.js';
import { request } from '../../lib/api.js';
import { tableAddress } from '../../lib/dictionary.js';
import { count } from '../../lib/format.js';
import { Link } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';

/** Tables with their columns, and saved queries. */
export function Sidebar({
  schema,
  text,
  onOpen,
}: {
  schema: SchemaAnswer | undefined;
  text: string;
  onOpen: (sql: string) => void;
}): JSX.Element {
  const [wanted, setWanted] = useState('');
  const filter = wanted.trim().toLowerCase();
  const tables = (schema?.tables ?? []).filter(
    ({ table, columns }) =>
      filter === '' || table.includes(filter) || columns.some(({ name }) => name.toLowerCase().includes(filter)),
  );
  return (
    <aside class="sidebar" aria-label="Saved queries and tables">
      <Saved text={text} onOpen={onOpen} />
      <details open={matchMedia('(min-width: 900px)').matches}>
        <summary>Tables</summary>
        <label class="hidden" for="table-filter">
          Filter tables and columns
        </label>
        <input
          id="table-filter"
          type="search"
          placeholder="Filter tables and columns"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <ul class="tables">
          {tables.map(({ table, description, rows, columns }) => (
            <li key={table}>
              <details>
                <summary title={description ?? undefined}>
                  <code>{table}</code> <span class="soft">{count(rows)}</span>
                </summary>
                <button type="button" class="quiet" onClick={() => onOpen(`FROM ${table} LIMIT 100`)}>
                  Query this table
                </button>{' '}
                <Link href={tableAddress(table)} aria-label={`About ${table}`}>
                  About
                </Link>
                <ul>
                  {columns.map(({ name, type, comment }) => (
                    <li key={name} title={comment ?? undefined}>
                      <code>{name}</code> <span class="soft">{type.toLowerCase().slice(0, 24)}</span>
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          ))}
        </ul>
      </details>
    </aside>
  );
}

function Saved({ text, onOpen }: { text: string; onOpen: (sql: string) => void }): JSX.Element {
  const saved = useData<{ folder: string; queries: SavedQuery[] }>('/api/v1/saved');
  const [name, setName] = useState('');
  const [error, setError] = useState<Error>();
  const change = async (of: string, method: 'PUT' | 'DELETE'): Promise<void> => {
    try {
      const body = method === 'PUT' ? { sql: text } : undefined;
      await request(`/api/v1/saved/${encodeURIComponent(of)}`, { method, body });
      setError(undefined);
      setName('');
      saved.reload();
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <details open={matchMedia('(min-width: 900px)').matches}>
      <summary>Saved queries</summary>
      <form
        class="save"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') void change(name.trim(), 'PUT');
        }}
      >
        <label class="hidden" for="query-name">
          Name of the query
        </label>
        <input
          id="query-name"
          placeholder="Name"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      {error !== undefined && <Failure error={error} />}
      <ul class="saved">
        {saved.data?.queries.map((query) => (
          <li key={query.name}>
            <button type="button" class="quiet" onClick={() => onOpen(query.sql.trimEnd())} title={query.sql}>
              {query.name}
            </button>
            <button
              type="button"
              class="quiet remove"
              aria-label={`Remove the saved query ${query.name}`}
              onClick={() => confirm(`Remove the saved query "${query.name}"?`) && void change(query.name, 'DELETE')}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {saved.data !== undefined && (
        <p class="soft small">
          Files in <code>{saved.data.folder}</code>
        </p>
      )}
    </details>
  );
}
