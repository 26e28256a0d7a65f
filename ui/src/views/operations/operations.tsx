import type { JSX } from 'preact';
import type { ApiRow, OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Loaded, Nothing, Section } from '../../components/basics.js';
import { Tabs, useTab } from '../../components/tabs.js';
import { cell, count } from '../../lib/format.js';
import { setParams, useLocation } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';
import { Coverage } from './coverage.js';
import { Live } from './live.js';
import { MENDED, Sentence } from './reason.js';
import { Models, Quality, Runs, Supply } from './tables.js';

const TABS = [
  ['now', 'Now'],
  ['coverage', 'Coverage'],
  ['runs', 'Runs'],
  ['supply', 'Requests and freshness'],
  ['quality', 'Rejects and drift'],
  ['models', 'Models'],
] as const;

/** How the nights went. Parameters of the address: `tab`, the part that is shown, and `night`, the night of the coverage. */
export function OperationsView(): JSX.Element {
  const night = useLocation().searchParams.get('night') ?? '';
  const data = useData<OperationsAnswer>(
    `/api/v1/operations${night === '' ? '' : `?night=${encodeURIComponent(night)}`}`,
  );
  const tab = useTab(TABS);
  return (
    <>
      <h1>Operations</h1>
      <Tabs tabs={TABS} chosen={tab} />
      {tab === 'now' && <Live />}
      <Loaded from={data}>
        {(facts) => (
          <>
            {tab === 'now' && <LastNights facts={facts} />}
            {tab === 'coverage' && (
              <Coverage facts={facts} night={night} onNight={(next) => setParams({ night: next })} />
            )}
            {tab === 'runs' && <Runs facts={facts} />}
            {tab === 'supply' && <Supply facts={facts} />}
            {tab === 'quality' && <Quality facts={facts} />}
            {tab === 'models' && <Models facts={facts} />}
          </>
        )}
      </Loaded>
    </>
  );
}

const KINDS: Readonly<Record<string, 'good' | 'bad' | 'plain'>> = { complete: 'good', failed: 'bad', running: 'plain' };

/** The latest night of each market and of the tenders, and what is missing in it. */
export function LastNights({ facts: { quality } }: { facts: OperationsAnswer }): JSX.Element {
  return (
    <Section title="Latest night of each market">
      {quality.length === 0 && <Nothing>No night of a market is published yet.</Nothing>}
      <ul class="plain">
        {quality.map((night) => (
          <li key={cell(night['market'])}>
            <strong>{night['market'] === null ? 'tenders' : cell(night['market'])}</strong>, {cell(night['date'])}:{' '}
            <Badge kind={KINDS[cell(night['outcome'])] ?? 'warn'}>{cell(night['outcome'])}</Badge>{' '}
            {night['is_held_back'] === true && <Badge kind="warn">held back</Badge>} {figures(night)}
            <ul class="reasons">
              {(Array.isArray(night['why']) ? night['why'] : []).map((sentence, i) => (
                <li key={i}>
                  <Sentence text={cell(sentence)} />
                </li>
              ))}
              {night['outcome'] === 'complete' && night['run_outcome'] === 'partial' && <li>{MENDED}</li>}
            </ul>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Companies and rejects of a night: `9,998 of 10,000 companies found, 3 open rejects`. */
function figures(night: ApiRow): string {
  const rejects = Number(night['rejects'] ?? 0);
  return [
    ...(night['reported_total'] === null
      ? []
      : [`${count(night['companies_found'])} of ${count(night['reported_total'])} companies found`]),
    ...(rejects > 0 ? [`${count(rejects)} open ${rejects === 1 ? 'reject' : 'rejects'}`] : []),
  ].join(', ');
}
