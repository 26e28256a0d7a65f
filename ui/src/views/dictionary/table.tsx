import type { JSX } from 'preact';
import type { Dictionary, TableEntry } from '../../../../schemas/explorer/api.js';
import { Badge, Loaded, Nothing, ScrollRegion, Section, TextTable } from '../../components/basics.js';
import { Fact } from '../../components/facts.js';
import { Tabs, useTab } from '../../components/tabs.js';
import { splitColumn, tableAddress } from '../../lib/dictionary.js';
import { count, instant, NONE } from '../../lib/format.js';
import { isLoaded } from '../../lib/lineage.js';
import { Link, useLocation } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';
import { useTitle } from '../../lib/use-title.js';
import { LineageOf } from './lineage-of.js';
import { VersionsOf } from './versions.js';

const TABS = [
  ['columns', 'Columns'],
  ['lineage', 'Lineage'],
  ['versions', 'Versions'],
  ['model', 'Model and audits'],
] as const;

/** Everything about one table. The parameter `tab` of the address names the part, and `column` the chosen column. */
export function TableView({ table }: { table: string }): JSX.Element {
  const dictionary = useData<Dictionary>('/api/v1/dictionary');
  const tab = useTab(TABS);
  const column = useLocation().searchParams.get('column') ?? '';
  useTitle(table);
  return (
    <Loaded from={dictionary}>
      {(all) => {
        const entry = all.tables.find((one) => one.table === table);
        if (entry === undefined)
          return (
            <Nothing>
              The published file has no table {table}. <Link href="/tables">All tables</Link>
            </Nothing>
          );
        return (
          <>
            <Heading entry={entry} />
            <Tabs tabs={TABS} chosen={tab} />
            {tab === 'columns' && <Columns entry={entry} chosen={column} />}
            {tab === 'lineage' && <LineageOf dictionary={all} entry={entry} column={column} />}
            {tab === 'versions' && <VersionsOf entry={entry} />}
            {tab === 'model' && <ModelOf entry={entry} missing={all.missing} />}
          </>
        );
      }}
    </Loaded>
  );
}

function Heading({ entry }: { entry: TableEntry }): JSX.Element {
  return (
    <div class="heading">
      <h1>{entry.table}</h1>
      <p class="badges">
        {entry.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        {entry.deprecation_date !== null && <Badge kind="warn">published until {entry.deprecation_date}</Badge>}
      </p>
      <p class="about">
        <Link href="/tables">Dictionary</Link> · {count(entry.rows)} rows
        {entry.owner !== null && ` · owner ${entry.owner}`} ·{' '}
        <Link href={`/sql#q=${encodeURIComponent(`FROM ${entry.table} LIMIT 100`)}`}>Query this table</Link>
      </p>
      {entry.description !== null && <p class="about">{entry.description}</p>}
    </div>
  );
}

function Columns({ entry, chosen }: { entry: TableEntry; chosen: string }): JSX.Element {
  return (
    <Section title="Columns">
      <TextTable label="Columns" class="columns-of" heads={['Column', 'Type', 'Comment', 'Comes from', 'Lineage']}>
        {entry.columns.map((column) => (
          <tr key={column.name} class={column.name === chosen ? 'chosen' : undefined}>
            <th scope="row">
              <code>{column.name}</code> {entry.key.includes(column.name) && <Badge>key</Badge>}
            </th>
            <td>
              <code>{column.type}</code>
            </td>
            <td>{column.comment}</td>
            <td>
              <Sources column={column} />
            </td>
            <td>
              <Link
                href={tableAddress(entry.table, { tab: 'lineage', column: column.name })}
                aria-label={`show the lineage of ${column.name}`}
              >
                show
              </Link>
            </td>
          </tr>
        ))}
      </TextTable>
    </Section>
  );
}

const KINDS = { copied: '', derived: 'computed from ', made: 'from no column', unknown: 'unknown', none: 'unknown' };
/** More sources are counted, not listed. */
const MOST_SOURCES = 4;

function Sources({ column }: { column: TableEntry['columns'][number] }): JSX.Element {
  const more = column.from.length - MOST_SOURCES;
  return (
    <span class="soft">
      {KINDS[column.lineage ?? 'none']}
      {column.from.slice(0, MOST_SOURCES).map((name, i) => (
        <span key={name}>
          {i > 0 && ', '}
          <ColumnLink name={name} />
        </span>
      ))}
      {more > 0 && ` and ${count(more)} more`}
    </span>
  );
}

/** The name of a column, as a link if its table is published. */
export function ColumnLink({ name }: { name: string }): JSX.Element {
  const { table, column } = splitColumn(name);
  if (isLoaded(table)) return <code>{name}</code>;
  return (
    <Link href={tableAddress(table, { column })}>
      <code>{name}</code>
    </Link>
  );
}

function ModelOf({ entry, missing }: { entry: TableEntry; missing: string | null }): JSX.Element {
  if (entry.kind === null)
    return <Nothing>{missing ?? 'No model makes this table: the publication writes it.'}</Nothing>;
  return (
    <>
      <Section title="Model">
        <dl class="facts">
          <Fact name="One row per">{entry.grain}</Fact>
          <Fact name="Key">
            {entry.key.join(', ')}
            {entry.nullable.length > 0 && ` (may be NULL: ${entry.nullable.join(', ')})`}
          </Fact>
          <Fact name="Kind">
            {entry.kind}, version {entry.version}
          </Fact>
          <Fact name="Owner">{entry.owner ?? NONE}</Fact>
          <Fact name="Tags">{entry.tags.join(', ') || NONE}</Fact>
        </dl>
      </Section>
      <Section title="Audits" about="Queries that must return no rows. An audit of severity error stops a publication.">
        <TextTable label="Audits" heads={['Audit', 'Severity', 'Result', 'Last run, UTC']}>
          {entry.audits.map(({ name, severity, failing_rows: rows, at }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td>{severity}</td>
              <td>
                {rows === null ? (
                  'no result in this file'
                ) : rows === 0 ? (
                  <Badge kind="good">passed</Badge>
                ) : (
                  <Badge kind="warn">{count(rows)} rows</Badge>
                )}
              </td>
              <td>{instant(at)}</td>
            </tr>
          ))}
        </TextTable>
      </Section>
      {entry.sql !== null && (
        <Section title="Query of the model">
          <ScrollRegion label="Query of the model" tall>
            <pre class="model-sql">
              <code>{entry.sql}</code>
            </pre>
          </ScrollRegion>
        </Section>
      )}
    </>
  );
}
