import type { JSX } from 'preact';
import type { ApiRow, NamedCode } from '../../../../schemas/explorer/api.js';
import { cell, count } from '../../lib/format.js';
import { filtersOf, sayReason } from '../../lib/gap-reason.js';
import { describeFilters, describePaths } from '../../lib/segment-filters.js';

/** Why companies are missing: one plain sentence, and below it the search and the words of the planner. */
export function Reason({ gap, codes }: { gap: ApiRow; codes: readonly NamedCode[] }): JSX.Element {
  return (
    <>
      {sayReason(gap)}
      <details>
        <summary>Search and details</summary>
        Search: {describeFilters(filtersOf(gap), codes)}. {count(gap['missing'])} missing, class {cell(gap['class'])}.{' '}
        Reason as recorded: {describePaths(cell(gap['reason']), codes)}
      </details>
    </>
  );
}

/** The remarks of a run: its reasons as sentences, or its note if no reason is recorded. */
export function RunNote({
  run,
  reasons,
  codes,
}: {
  run: ApiRow;
  reasons: readonly ApiRow[];
  codes: readonly NamedCode[];
}): JSX.Element | null {
  const own = reasons.filter((gap) => gap['run'] === run['run']);
  const note = describeNote(cell(run['note']), codes);
  if (own.length === 0 && note === '') return null;
  if (own.length === 0) return <span class="lines">{note}</span>;
  return (
    <>
      {own.map((gap, i) => (
        <p key={i}>{sayReason(gap)}</p>
      ))}
      {note !== '' && (
        <details>
          <summary>Note of the run</summary>
          <span class="lines">{note}</span>
        </details>
      )}
    </>
  );
}

/** Replaces the filters and paths in a note by words. */
function describeNote(note: string, codes: readonly NamedCode[]): string {
  const named = note.replaceAll(
    / under the filters (\{.*?\}): /gs,
    (_, filters: string) => ` in the search ${describeFilters(filters, codes)}: `,
  );
  return describePaths(named, codes);
}
