import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Dictionary, TableEntry } from '../../../../schemas/explorer/api.js';
import { Nothing, Section } from '../../components/basics.js';
import { splitColumn, tableAddress } from '../../lib/dictionary.js';
import { count } from '../../lib/format.js';
import { columnGraph, isLoaded, layOut, tableGraph, type Graph, type Layout } from '../../lib/lineage.js';
import { Link, setParams } from '../../lib/router.js';
import { LineageGraph } from './lineage-graph.js';
import { LineageSteps } from './lineage-steps.js';

/** A drawing with more nodes helps nobody. The list has all of them. */
const MOST_NODES = 160;

/** From what a table or one of its columns is made, and what is made from it: as a drawing and as a list. */
export function LineageOf({
  dictionary,
  entry,
  column,
}: {
  dictionary: Dictionary;
  entry: TableEntry;
  column: string;
}): JSX.Element {
  const known = entry.columns.some(({ name }) => name === column) ? column : '';
  const graph = useMemo(
    () => (known === '' ? tableGraph(dictionary) : columnGraph(dictionary)),
    [dictionary, known === ''],
  );
  const start = known === '' ? entry.table : `${entry.table}.${known}`;
  const layout = useMemo(() => layOut(graph, start), [graph, start]);
  const address = (name: string): string | null => nodeAddress(name, known !== '');
  return (
    <Section
      title={`Lineage of ${start}`}
      about={known === '' ? aboutTables(dictionary) : ABOUT_COLUMNS}
      aside={
        <label>
          Column{' '}
          <select value={known} onChange={({ currentTarget }) => setParams({ column: currentTarget.value })}>
            <option value="">the whole table</option>
            {entry.columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      }
    >
      {dictionary.missing !== null && <Nothing>{dictionary.missing}</Nothing>}
      {layout.nodes.length > MOST_NODES ? (
        <Nothing>{count(layout.nodes.length)} nodes are too many for a drawing. The list has all of them.</Nothing>
      ) : (
        <>
          <LineageGraph layout={layout} start={start} address={address} />
          <LineageSteps layout={layout} start={start} address={address} />
        </>
      )}
      <div class="columns">
        <Names title="Made from" side={-1} layout={layout} graph={graph} start={start} address={address} />
        <Names title="Used by" side={1} layout={layout} graph={graph} start={start} address={address} />
      </div>
    </Section>
  );
}

function aboutTables({ every_stream: every }: Dictionary): string {
  return `Left, or above: what the table reads, down to the landed streams. Right, or below: the tables that read it. The published file has no tables of ledger, so the edges from streams to ledger come from the installed version of Tidemark. Every stream fills ${every.join(', ')}, without edges here. A table of ledger without a stream is written by Tidemark itself.`;
}

const ABOUT_COLUMNS =
  'Left, or above: the columns from which the values come. Right, or below: the columns that are made from it. Columns that only select rows do not count. Tidemark does not record which field of an answer fills a column of ledger; the lineage of the table shows the streams.';

function nodeAddress(name: string, isColumn: boolean): string | null {
  if (isLoaded(name) || name.startsWith('landing/')) return null;
  if (!isColumn) return tableAddress(name, { tab: 'lineage' });
  const { table, column } = splitColumn(name);
  return tableAddress(table, { tab: 'lineage', column });
}

/** One side of the graph as a list, the nearest nodes first, each with its neighbours towards the chosen node. */
function Names({
  title,
  side,
  layout,
  graph,
  start,
  address,
}: {
  title: string;
  side: -1 | 1;
  layout: Layout;
  graph: Graph;
  start: string;
  address: (name: string) => string | null;
}): JSX.Element {
  const shown = layout.nodes
    .filter(({ layer }) => Math.sign(layer) === side)
    .toSorted((a, b) => Math.abs(a.layer) - Math.abs(b.layer) || (a.name < b.name ? -1 : 1));
  // A table to the left of the chosen one may also be read by tables that have nothing to do with it.
  const before = new Set([start, ...layout.nodes.filter(({ layer }) => layer < 0).map(({ name }) => name)]);
  const isBefore = (name: string): boolean => before.has(name);
  const towards = (name: string): string[] =>
    side < 0
      ? layout.edges.filter(({ from, to }) => from === name && isBefore(to)).map(({ to }) => to)
      : (graph.get(name) ?? []).filter((from) => layout.edges.some((edge) => edge.from === from && edge.to === name));
  return (
    <div>
      <h3>
        {title} ({count(shown.length)})
      </h3>
      {shown.length === 0 && <p class="soft">{side < 0 ? 'No table or column.' : 'Nothing in the published file.'}</p>}
      <ul class="plain small">
        {shown.map(({ name }) => {
          const href = address(name);
          const through = towards(name).filter((one) => one !== start);
          return (
            <li key={name}>
              {href === null ? (
                <code>{name}</code>
              ) : (
                <Link href={href}>
                  <code>{name}</code>
                </Link>
              )}
              {through.length > 0 && <span class="soft"> through {through.join(', ')}</span>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
