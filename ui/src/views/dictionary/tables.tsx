import type { JSX } from 'preact';
import type { Dictionary } from '../../../../schemas/explorer/api.js';
import { Loaded, Nothing, Section } from '../../components/basics.js';
import { SCHEMAS, searchDictionary, tableAddress, type DictionaryHit } from '../../lib/dictionary.js';
import { count } from '../../lib/format.js';
import { Link, useLocation } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';
import { useTyped } from '../../lib/use-typed.js';

/** More matching columns of a table are counted, not listed. */
const MOST_COLUMNS = 12;

/** All tables, with a search over names and comments. The parameter `q` of the address is the search. */
export function TablesView(): JSX.Element {
  const asked = useLocation().searchParams.get('q') ?? '';
  const [text, setText] = useTyped('q', asked);
  const dictionary = useData<Dictionary>('/api/v1/dictionary');
  return (
    <>
      <h1>Dictionary</h1>
      <label class="dictionary-search">
        Words in the names and comments of tables and columns
        <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <Loaded from={dictionary}>
        {(all) => {
          const hits = searchDictionary(all, text);
          return (
            <>
              {all.missing !== null && <Nothing>{all.missing}</Nothing>}
              <p class="about" role="status">
                {count(hits.length)} of {count(all.tables.length)} tables
              </p>
              {Object.entries(SCHEMAS).map(([schema, about]) => (
                <Schema
                  key={schema}
                  title={`${schema}: ${about}`}
                  hits={hits.filter(({ entry }) => entry.table.startsWith(`${schema}.`))}
                />
              ))}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Schema({ title, hits }: { title: string; hits: DictionaryHit[] }): JSX.Element | null {
  if (hits.length === 0) return null;
  return (
    <Section title={title}>
      <ul class="entries">
        {hits.map(({ entry, columns }) => (
          <li key={entry.table}>
            <Link href={tableAddress(entry.table)}>
              <code>{entry.table}</code>
            </Link>{' '}
            <span class="soft">{count(entry.rows)} rows</span>
            <p class="small">{entry.description}</p>
            {columns.length > 0 && (
              <ul class="small">
                {columns.slice(0, MOST_COLUMNS).map(({ name, comment }) => (
                  <li key={name}>
                    <Link href={tableAddress(entry.table, { column: name })}>
                      <code>{name}</code>
                    </Link>{' '}
                    {comment}
                  </li>
                ))}
                {columns.length > MOST_COLUMNS && (
                  <li class="soft">and {count(columns.length - MOST_COLUMNS)} more columns</li>
                )}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
