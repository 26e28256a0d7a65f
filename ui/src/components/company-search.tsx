import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../../schemas/explorer/api.js';
import { request } from '../lib/api.js';
import { count } from '../lib/format.js';
import { go } from '../lib/router.js';
import { useData } from '../lib/use-data.js';

/** Finds companies while the user types. `/` puts the focus here. Arrow keys choose, Enter opens, Escape closes. */
export function CompanySearch({ small = false }: { small?: boolean }): JSX.Element {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const { hits, failed } = useHits(text);
  const preparing = usePreparing();
  useSlashKey(input);
  const choose = (hit: SearchHit | undefined): void => {
    if (hit === undefined) return;
    setOpen(false);
    setText('');
    go(`/company/${hit.company_id}`);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = (hits?.length ?? 0) - 1;
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, last));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') choose(hits?.[at]);
    else if (event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
  };
  const asked = open && text.trim() !== '';
  const shown = asked && (hits !== undefined || failed !== undefined);
  return (
    <div class={small ? 'search small' : 'search'}>
      <label class="hidden" for={`${id}-input`}>
        Search companies
      </label>
      <input
        ref={input}
        id={`${id}-input`}
        type="search"
        role="combobox"
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={shown && hits?.[at] !== undefined ? `${id}-${at}` : undefined}
        placeholder={small ? 'Name or number' : 'Company name or number'}
        autocomplete="off"
        spellcheck={false}
        autofocus={!small}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div class="hits" id={`${id}-list`} role="listbox" aria-label="Companies" hidden={!shown}>
        {hits?.map((hit, i) => (
          <div
            key={hit.company_id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onMouseDown={(event) => {
              event.preventDefault();
              choose(hit);
            }}
            onMouseEnter={() => setAt(i)}
          >
            <span class="hit-name">{hit.name ?? `Company ${hit.company_id}`}</span>
            <span class="hit-more">
              {[hit.country_code, hit.city, hit.registration_number, hit.industry].filter(Boolean).join(' · ')}
              {hit.employees !== null && ` · ${count(hit.employees)} employees`}
              {hit.in_market === false && (hit.left_on === null ? ' · not in a market' : ` · left ${hit.left_on}`)}
            </span>
          </div>
        ))}
        {failed !== undefined && <p>{failed.message}</p>}
      </div>
      {preparing && (!small || asked) && (
        <p class={small ? 'hits none' : 'about'} role="status">
          The search is being prepared. The first answer takes some seconds.
        </p>
      )}
      <p class="hidden" role="status">
        {shown && hits !== undefined && countOfHits(hits.length)}
      </p>
      {shown && hits?.length === 0 && !preparing && (
        <p class="hits none">
          No company matches. Each word must be the beginning of a word in the name or a brand, or of a number.
        </p>
      )}
    </div>
  );
}

/** Hits of the text; undefined until the first answer. An answer of an older text never replaces a newer one. */
/** The server answers with at most twelve hits. */
const MOST_HITS = 12;

function countOfHits(hits: number): string {
  if (hits === 1) return '1 company found';
  return hits < MOST_HITS ? `${hits} companies found` : `The first ${hits} companies; type more to narrow them`;
}

function useHits(text: string): { hits: SearchHit[] | undefined; failed: Error | undefined } {
  const [answer, setAnswer] = useState<{ hits?: SearchHit[]; failed?: Error }>({});
  useEffect(() => {
    if (text.trim() === '') return setAnswer({});
    const controller = new AbortController();
    const { signal } = controller;
    request<SearchAnswer>(`/api/v1/search?q=${encodeURIComponent(text.slice(0, 400))}`, { signal }).then(
      ({ hits }) => setAnswer({ hits }),
      (failed: unknown) => {
        if (!signal.aborted) setAnswer({ failed: failed as Error });
      },
    );
    return () => controller.abort();
  }, [text]);
  return { hits: answer.hits, failed: answer.failed };
}

/** Whether the search is being prepared, as it is after a new build was opened. */
function usePreparing(): boolean {
  const [everyMs, setEveryMs] = useState<number>();
  const state = useData<SearchAnswer>('/api/v1/search?q=', everyMs);
  const preparing = state.data?.preparing === true;
  useEffect(() => setEveryMs(preparing ? 1_000 : undefined), [preparing]);
  return preparing;
}

function useSlashKey(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const types =
        target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
      if (event.key !== '/' || types || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
