import type { JSX } from 'preact';
import type { LiveAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Loaded, Nothing, Section } from '../../components/basics.js';
import { instant } from '../../lib/format.js';
import { useData, type Loading } from '../../lib/use-data.js';

/** What runs now, as Temporal says. */
export function Live(): JSX.Element {
  const live: Loading<LiveAnswer> = useData<LiveAnswer>('/api/v1/live', 5_000);
  return (
    <Section title="Running" about={live.data?.reachable === false ? undefined : 'Read from Temporal every 5 seconds.'}>
      <Loaded from={live} waits="Waiting for the answer of Temporal, up to 6 seconds …">
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
                      started {instant(run.startedAt)} UTC · {run.line}
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
              {error ?? `Temporal does not answer at ${address}.`} So it is unknown which runs are open.
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
