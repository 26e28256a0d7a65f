import type { JSX } from 'preact';
import type { LiveAnswer, OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Choice, Loaded, Nothing, Section } from '../../components/basics.js';
import { cell, count, instant } from '../../lib/format.js';
import { setParams, useLocation } from '../../lib/router.js';
import { useData, type Loading } from '../../lib/use-data.js';
import { Coverage } from './coverage.js';
import { Models, Quality, Runs, Supply } from './tables.js';

const TABS = [
  ['now', 'Now'],
  ['coverage', 'Coverage'],
  ['runs', 'Runs'],
  ['supply', 'Requests and freshness'],
  ['quality', 'Rejects and drift'],
  ['models', 'Models'],
] as const;

type Tab = (typeof TABS)[number][0];

/** How the nights went. The parameter `tab` of the address names the part that is shown. */
export function OperationsView(): JSX.Element {
  const data = useData<OperationsAnswer>('/api/v1/operations');
  const asked = useLocation().searchParams.get('tab');
  const tab: Tab = TABS.find(([key]) => key === asked)?.[0] ?? 'now';
  return (
    <>
      <h1>Operations</h1>
      <Choice
        label="Parts"
        options={TABS}
        value={tab}
        onChange={(next) => setParams({ tab: next === 'now' ? null : next })}
      />
      {tab === 'now' && <Live />}
      <Loaded from={data}>
        {(facts) => (
          <>
            {tab === 'now' && <LastNights facts={facts} />}
            {tab === 'coverage' && <Coverage facts={facts} />}
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

function Live(): JSX.Element {
  const live: Loading<LiveAnswer> = useData<LiveAnswer>('/api/v1/live', 5_000);
  return (
    <Section title="Running" about="Asked from Temporal every 5 seconds.">
      <Loaded from={live}>
        {({ reachable, address, ui, namespace, error, running, waiting, next, warnings }) =>
          reachable ? (
            <>
              {running.length === 0 && <Nothing>Nothing runs now.</Nothing>}
              <ul class="plain">
                {running.map((run) => (
                  <li key={run.workflowId}>
                    <Badge kind="good">running</Badge>{' '}
                    {ui === null ? (
                      <strong>{run.workflowId}</strong>
                    ) : (
                      <a href={runLink(ui, namespace, run.workflowId)}>{run.workflowId}</a>
                    )}
                    <span class="line soft">
                      since {instant(run.startedAt)} UTC · {run.line}
                    </span>
                  </li>
                ))}
                {waiting.map((text) => (
                  <li key={text}>
                    <Badge kind="warn">waiting for quota</Badge> <span class="lines">{text}</span>
                  </li>
                ))}
                {warnings.map((text) => (
                  <li key={text}>
                    <Badge kind="warn">worker</Badge> {text}
                  </li>
                ))}
                {next.map(({ schedule, at }) => (
                  <li key={`${schedule} ${at}`}>
                    <Badge>next</Badge> {schedule} at {instant(at)} UTC
                  </li>
                ))}
              </ul>
              {ui !== null && (
                <p>
                  <a href={ui} rel="noopener noreferrer" target="_blank">
                    Temporal UI
                  </a>
                </p>
              )}
            </>
          ) : (
            <Nothing>
              No Temporal server answers at {address}, so open runs are unknown. {error}
            </Nothing>
          )
        }
      </Loaded>
    </Section>
  );
}

function runLink(ui: string, namespace: string, workflowId: string): string {
  return `${ui.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

/** The latest night of each market, and why it is incomplete. */
function LastNights({ facts: { nights, coverage, gaps, runs } }: { facts: OperationsAnswer }): JSX.Element {
  const last = new Map(nights.map((night) => [cell(night['market']), night]));
  return (
    <Section title="Latest night of each market">
      {last.size === 0 && <Nothing>No night of a market is published yet.</Nothing>}
      <ul class="plain">
        {[...last].map(([market, night]) => {
          const found = coverage.find((one) => one['market'] === market);
          const run = runs.find((one) => one['market'] === market);
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
                {typeof run?.['note'] === 'string' && <li>{run['note']}</li>}
                {run !== undefined && run['outcome'] !== 'complete' && (
                  <li>The latest run ended {cell(run['outcome'])}.</li>
                )}
                {gaps
                  .filter((gap) => gap['market'] === market && Number(gap['missing']) > 0)
                  .slice(0, 5)
                  .map((gap, i) => (
                    <li key={i}>
                      {count(gap['missing'])} missing ({cell(gap['class'])}): {cell(gap['reason'])}{' '}
                      <code>{cell(gap['filters'])}</code>
                    </li>
                  ))}
              </ul>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
