import type { JSX } from 'preact';
import type { ApiRow, NamedCode } from '../../../../schemas/explorer/api.js';
import { describeFilters } from '../../../../schemas/explorer/describe-filters.js';
import { cell, count } from '../../lib/format.js';
import { filtersOf, sayGap } from '../../lib/narrowest-search.js';

/** Why companies are missing: one plain sentence, and below it the search. */
export function Reason({ gap, codes }: { gap: ApiRow; codes: readonly NamedCode[] }): JSX.Element {
  return (
    <>
      <Sentence text={sayGap(gap)} />
      <details>
        <summary>Search</summary>
        {describeFilters(filtersOf(gap), codes)}: {count(gap['missing'])} missing, class {cell(gap['class'])}
      </details>
    </>
  );
}

/** What a run missed and still misses, as sentences. Below them, its note, which has other remarks, too. */
export function RunNote({ run }: { run: ApiRow }): JSX.Element | null {
  const why = Array.isArray(run['why']) ? run['why'].map(cell) : [];
  // Most notes hold only the reasons.
  const note = cell(run['note']) === why.join(' ') ? '' : cell(run['note']);
  if (why.length === 0 && run['is_mended'] !== true) return note === '' ? null : <span class="lines">{note}</span>;
  return (
    <>
      {run['is_mended'] === true && <p>{MENDED}</p>}
      {why.map((sentence, i) => (
        <p key={i}>
          <Sentence text={sentence} />
        </p>
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

/** A sentence in which backticks mark code. */
export function Sentence({ text }: { text: string }): JSX.Element {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

export const MENDED = 'A later run fetched what was missing.';
