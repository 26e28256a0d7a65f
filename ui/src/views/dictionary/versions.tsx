import type { JSX } from 'preact';
import type { TableChange, TableEntry } from '../../../../schemas/explorer/api.js';
import { Nothing, Section, TextTable } from '../../components/basics.js';
import { count, instant, NONE } from '../../lib/format.js';

/** The versions of a table's model, and what each change of the model did to the table. */
export function VersionsOf({ entry }: { entry: TableEntry }): JSX.Element {
  const { versions, changes, kind } = entry;
  const [latest] = versions;
  if (latest === undefined || kind === null)
    return <Nothing>No model makes this table, so it has no versions.</Nothing>;
  const since = changes.at(-1);
  const isWhole = since?.change === 'added';
  return (
    <Section
      title="Versions and changes"
      about={
        <>
          {versions.length === 1
            ? `This table has one version: version ${latest.version}, last changed ${instant(latest.applied_at)} UTC.`
            : `This table has ${count(versions.length)} versions. The latest is version ${latest.version}, last changed ${instant(latest.applied_at)} UTC.`}{' '}
          {changes.length > 1 && !isWhole && 'Older changes are not recorded.'}
        </>
      }
    >
      {changes.length === 1 && isWhole && (
        <Nothing>
          Its model was added {instant(since.applied_at)} UTC
          {since.rows_after !== null && `, with ${count(since.rows_after)} rows`}, and has not changed since.
        </Nothing>
      )}
      {(changes.length > 1 || (changes.length === 1 && !isWhole)) && <Changes changes={changes} kind={kind} />}
      {kind === 'view' && <p class="about">The rows of a view are not counted.</p>}
    </Section>
  );
}

function Changes({ changes, kind }: { changes: TableChange[]; kind: string }): JSX.Element {
  const numeric = (name: string): { name: string; numeric: boolean } => ({ name, numeric: true });
  const heads = ['Applied, UTC', 'Version', numeric('Rows before'), numeric('Rows after'), numeric('Difference')];
  const loaded = changes.some(({ origin, change }) => (origin === 'run' || origin === 'replay') && change !== 'added');
  return (
    <>
      <TextTable label="Changes of the model" heads={[...heads, 'Change', 'Columns, key and grain']}>
        {changes.map((one) => (
          <tr key={one.applied_at}>
            <td class="nowrap">{instant(one.applied_at)}</td>
            <td class="nowrap">{nameVersions(one)}</td>
            <td class="num">{count(one.rows_before)}</td>
            <td class="num">{count(one.rows_after)}</td>
            <td class="num">{difference(one)}</td>
            <td>{nameChange(one)}</td>
            <td>{nameEffects(one)}</td>
          </tr>
        ))}
      </TextTable>
      {changes.some(({ change }) => change === 'directly modified') && (
        <p class="about">
          This page does not show the query before a change. The warehouse keeps it:{' '}
          <code>tidemark models history</code> lists the files that each set of models changed.
        </p>
      )}
      {loaded && kind !== 'view' && (
        <p class="about">
          A run or a replay also loads records. So where one applied a change, rows may differ for this reason, too.
        </p>
      )}
    </>
  );
}

function nameEffects({ effects, change }: TableChange): string {
  if (effects.length > 0) return effects.join('; ');
  if (change === 'directly modified') return 'query or header changed; columns, key and grain are the same';
  return change === 'indirectly modified' ? 'query, columns, key and grain are the same' : NONE;
}

function nameVersions({ version, previous_version: previous }: TableChange): string {
  if (version === null) return `${previous ?? NONE} removed`;
  return previous === null || previous === version ? String(version) : `${previous} → ${version}`;
}

const CHANGES: Readonly<Record<string, string>> = {
  'directly modified': 'model file changed',
  'indirectly modified': 'rebuilt, because of',
};

function nameChange({ change, because, origin }: TableChange): string {
  const reasons = change === 'indirectly modified' ? ` ${because.join(', ')}` : '';
  return `${CHANGES[change] ?? change}${reasons} (${origin})`;
}

function difference({ rows_before: before, rows_after: after }: TableChange): string {
  if (before === null || after === null) return NONE;
  return `${after > before ? '+' : ''}${count(after - before)}`;
}
