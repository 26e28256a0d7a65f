import type { ComponentChildren, JSX } from 'preact';
import type { ReportInput } from '../../../schemas/explorer/report.js';
import { cell, count, instant } from '../lib/format.js';
import { Markets } from '../views/markets/markets.js';
import { Coverage } from '../views/operations/coverage.js';
import { LastNights } from '../views/operations/operations.js';
import { Models, Quality, Runs, Supply } from '../views/operations/tables.js';
import { Dictionary } from './dictionary.js';
import { Summary } from './summary.js';

interface Part {
  id: string;
  title: string;
  content: (input: ReportInput) => ComponentChildren;
}

const PARTS: readonly Part[] = [
  {
    id: 'markets',
    title: 'Markets',
    content: ({ markets }) => (markets.nights.length === 0 ? null : <Markets {...markets} market="" />),
  },
  { id: 'nights', title: 'Latest nights', content: ({ operations }) => <LastNights facts={operations} /> },
  { id: 'coverage', title: 'Coverage', content: ({ operations }) => <Coverage facts={operations} /> },
  { id: 'runs', title: 'Runs', content: ({ operations }) => <Runs facts={operations} /> },
  { id: 'requests', title: 'Requests and freshness', content: ({ operations }) => <Supply facts={operations} /> },
  { id: 'quality', title: 'Rejects and drift', content: ({ operations }) => <Quality facts={operations} /> },
  { id: 'models', title: 'Models', content: ({ operations }) => <Models facts={operations} /> },
  { id: 'dictionary', title: 'Data dictionary', content: ({ facts }) => <Dictionary tables={facts.tables} /> },
];

/** The views of the explorer, one below the other. */
export function ReportPage({ input }: { input: ReportInput }): JSX.Element {
  const { facts } = input;
  return (
    <>
      <header class="report-head">
        <p class="about">Tidemark · report of {instant(facts.generated_at)} UTC</p>
        <Summary facts={facts} />
        <nav aria-label="Parts">
          <ul>
            {PARTS.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="content">
        {PARTS.map(({ id, title, content }) => (
          <section key={id} id={id} class="part">
            <h2 class="part-title">{title}</h2>
            {content(input) ?? <p class="nothing">No night of a market is published yet.</p>}
          </section>
        ))}
      </main>
      <footer>
        <Origin facts={facts} />
      </footer>
    </>
  );
}

function Origin({ facts: { file, version } }: { facts: ReportInput['facts'] }): JSX.Element {
  if (file === null) return <p>Made by Tidemark {version}.</p>;
  return (
    <p>
      Made by Tidemark {version} from the file published {instant(file.built_at)} UTC for run{' '}
      <code>{cell(file.run)}</code>
      {file.config_hash !== null && (
        <>
          , configuration <code>{file.config_hash.slice(0, 12)}</code>
        </>
      )}
      : {count(file.landed_rows)} responses in {count(file.parts)} parts. Times are UTC.
    </p>
  );
}
