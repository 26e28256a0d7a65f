import type { JSX } from 'preact';
import type { CompanyAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Nothing, Section } from '../../components/basics.js';
import { cell, instant, NONE } from '../../lib/format.js';

const KINDS: Record<string, 'good' | 'warn' | 'plain'> = { entered: 'good', left: 'warn', restated: 'warn' };

/** Everything that happened to a company, newest first. */
export function History({ data: { changes } }: { data: CompanyAnswer }): JSX.Element {
  return (
    <Section
      title="History"
      about="Changes of the record, restatements, watch events, and moves into and out of markets."
    >
      {changes.length === 0 ? (
        <Nothing>Nothing changed since this company was first found.</Nothing>
      ) : (
        <ol class="timeline">
          {changes.map((change, i) => {
            const kind = cell(change['kind']);
            return (
              <li key={i}>
                <time>{instant(change['changed_at'])}</time>
                <div>
                  <Badge kind={KINDS[kind] ?? 'plain'}>{kind}</Badge>{' '}
                  {change['market'] !== null && <>market {cell(change['market'])}</>}
                  {change['field'] !== null && <code>{cell(change['field'])}</code>}{' '}
                  {change['fiscal_year'] !== null && <>of {cell(change['fiscal_year'])}</>}
                  {(change['old_value'] !== null || change['new_value'] !== null) && (
                    <p class="change">
                      <del>{cell(change['old_value'] ?? NONE)}</del> <ins>{cell(change['new_value'] ?? NONE)}</ins>
                    </p>
                  )}
                </div>
              </li>
            );
          })}
        </ol>
      )}
    </Section>
  );
}
