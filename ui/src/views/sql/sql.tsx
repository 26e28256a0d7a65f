import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryAnswer, SchemaAnswer } from '../../../../schemas/explorer/api.js';
import { Failure, Nothing } from '../../components/basics.js';
import { request, saveExport } from '../../lib/api.js';
import { tablesOf } from '../../lib/file-name.js';
import { newId } from '../../lib/new-id.js';
import { useData } from '../../lib/use-data.js';
import { Editor } from './editor.js';
import { Results } from './results.js';
import { Sidebar } from './sidebar.js';

const FIRST = `SELECT name, country_code, industry, employees, turnover_eur
FROM marts.companies
WHERE in_market
ORDER BY turnover_eur DESC NULLS LAST
LIMIT 100`;

/** The query console. The part of the address after `#` holds the query, so an address can be shared. */
export function SqlView(): JSX.Element {
  const schema = useData<SchemaAnswer>('/api/v1/schema');
  const [loaded, setLoaded] = useState(() => ({ text: readHash() ?? localStorage.getItem('tidemark-sql') ?? FIRST }));
  const [text, setText] = useState(loaded.text);
  const [rows, setRows] = useState(1_000);
  const [seconds, setSeconds] = useState(30);
  const console = useConsole();
  const { running, answer, error } = console;
  useEffect(() => {
    const onHash = (): void => open(readHash() ?? '');
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);
  useEffect(() => {
    if (readHash() !== undefined) void console.run(text, rows, seconds);
  }, []);
  const edit = (next: string): void => {
    setText(next);
    localStorage.setItem('tidemark-sql', next);
  };
  const open = (next: string): void => {
    setLoaded({ text: next });
    edit(next);
  };
  const run = (): void => {
    history.replaceState(null, '', `/sql#q=${encodeURIComponent(text)}`);
    void console.run(text, rows, seconds);
  };
  return (
    <div class="sql">
      <h1 class="hidden">SQL</h1>
      <Sidebar schema={schema.data} text={text} onOpen={open} />
      <div class="sql-main">
        <Editor loaded={loaded} schema={schema.data} onChange={edit} onRun={run} />
        <div class="toolbar">
          {running === undefined ? (
            <button type="button" class="primary" onClick={run} title="Ctrl+Enter">
              Run
            </button>
          ) : (
            <button type="button" class="danger" onClick={console.cancel}>
              Cancel
            </button>
          )}
          <label>
            Rows{' '}
            <select value={rows} onChange={({ currentTarget }) => setRows(Number(currentTarget.value))}>
              {[100, 1_000, 10_000, 50_000].map((n) => (
                <option key={n} value={n}>
                  {n.toLocaleString('en')}
                </option>
              ))}
            </select>
          </label>
          <label>
            Time limit{' '}
            <select value={seconds} onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}>
              {[10, 30, 120, 600].map((n) => (
                <option key={n} value={n}>
                  {n} s
                </option>
              ))}
            </select>
          </label>
          <span class="spacer" />
          {(['csv', 'parquet', 'arrow'] as const).map((format) => (
            <button
              type="button"
              key={format}
              disabled={running !== undefined}
              onClick={() => void console.save(text, format, seconds)}
            >
              {format === 'csv' ? 'CSV' : format === 'arrow' ? 'Arrow' : 'Parquet'}
            </button>
          ))}
        </div>
        <div aria-live="polite" aria-busy={running !== undefined}>
          {running !== undefined && <Running what={running} />}
          {error !== undefined && <Failure error={error} />}
          {answer === undefined && error === undefined && running === undefined && (
            <Nothing>Ctrl+Enter runs the query. CSV, Parquet and Arrow export all of its rows.</Nothing>
          )}
          {answer !== undefined && <Results answer={answer} />}
        </div>
      </div>
    </div>
  );
}

function Running({ what }: { what: string }): JSX.Element {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="loading">
      {what} … <span aria-hidden="true">{seconds} s</span>
    </p>
  );
}

/** Runs one query or export at a time. */
function useConsole() {
  const [running, setRunning] = useState<string>();
  const [answer, setAnswer] = useState<QueryAnswer>();
  const [error, setError] = useState<Error>();
  const id = useRef<string>();
  const begin = async (what: string, work: (id: string) => Promise<void>): Promise<void> => {
    if (id.current !== undefined) return;
    const own = newId();
    id.current = own;
    setRunning(what);
    setError(undefined);
    try {
      await work(own);
    } catch (reason) {
      setError(reason as Error);
    } finally {
      id.current = undefined;
      setRunning(undefined);
    }
  };
  return {
    running,
    answer,
    error,
    run: (sql: string, rows: number, seconds: number) =>
      begin('Running', async (own) => {
        setAnswer(undefined);
        setAnswer(await request('/api/v1/query', { method: 'POST', body: { id: own, sql, rows, seconds } }));
      }),
    save: (sql: string, format: 'csv' | 'parquet' | 'arrow', seconds: number) =>
      begin('Exporting', async (own) => {
        await saveExport(tablesOf(sql), { id: own, sql, format, seconds });
      }),
    cancel: () => {
      if (id.current !== undefined) void request(`/api/v1/query/${id.current}`, { method: 'DELETE' });
    },
  };
}

function readHash(): string | undefined {
  const text = /^#q=(.*)$/s.exec(location.hash)?.[1];
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
