import type { JSX } from 'preact';
import type { OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Loaded, Nothing, Section } from '../../components/basics.js';
import { Tabs, useTab } from '../../components/tabs.js';
import { cell, count } from '../../lib/format.js';
import { setParams, useLocation } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';
import { Coverage } from './coverage.js';
import { Live } from './live.js';
import { Reason, RunNote } from './reason.js';
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

/** The latest night of each market, and why it is incomplete. */
export function LastNights({
  facts: { nights, coverage, reasons, runs, codes },
}: {
  facts: OperationsAnswer;
}): JSX.Element {
  const last = new Map(nights.map((night) => [cell(night['market']), night]));
  return (
    <Section title="Latest night of each market">
      {last.size === 0 && <Nothing>No night of a market is published yet.</Nothing>}
      <ul class="plain">
        {[...last].map(([market, night]) => {
          const found = coverage.find((one) => one['market'] === market);
          const run = runs.find((one) => one['market'] === market);
          const own = reasons.filter((gap) => gap['market'] === market && gap['run'] === found?.['run']);
          const missing = Number(found?.['missing'] ?? 0);
          const carried = Number(found?.['carried'] ?? 0);
          return (
            <li key={market}>
              <strong>{market}</strong>, {cell(night['date'])}:{' '}
              {night['is_complete'] === true ? (
                <Badge kind="good">complete</Badge>
              ) : (
                <Badge kind="warn">incomplete</Badge>
              )}{' '}
              {count(night['companies'])} companies
              {missing > 0 && `, ${count(missing)} of ${count(found?.['reported_total'])} missing`}
              {carried > 0 && `, ${count(carried)} carried over from earlier nights`}
              <ul class="reasons">
                {typeof run?.['held_back'] === 'string' && <li>Held back: {run['held_back']}</li>}
                {typeof run?.['note'] === 'string' && own.length === 0 && (
                  <li>
                    <RunNote run={run} reasons={[]} codes={codes} />
                  </li>
                )}
                {run !== undefined && run['outcome'] !== 'complete' && (
                  <li>The latest run ended {cell(run['outcome'])}.</li>
                )}
                {own.slice(0, 5).map((gap, i) => (
                  <li key={i}>
                    <Reason gap={gap} codes={codes} />
                  </li>
                ))}
                {own.length > 5 && <li>{count(own.length - 5)} more reasons are below Coverage.</li>}
              </ul>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
