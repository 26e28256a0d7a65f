import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiRow, CompanyAnswer } from '../../../../schemas/explorer/api.js';
import { Nothing, ScrollRegion, Section } from '../../components/basics.js';
import { Fact } from '../../components/facts.js';
import { cell, instant, NONE } from '../../lib/format.js';

const HIDDEN = new Set(['company_id', 'valid_from', 'valid_to', 'is_current', 'version', 'record_hash']);

/** Two versions of a company's record, side by side. */
export function Versions({ data: { versions } }: { data: CompanyAnswer }): JSX.Element {
  const [newer, setNewer] = useState(0);
  const [older, setOlder] = useState(Math.min(1, versions.length - 1));
  const [all, setAll] = useState(false);
  const [a, b] = [versions[older], versions[newer]];
  if (a === undefined || b === undefined) return <Nothing>The record of this company was never read.</Nothing>;
  const fields = Object.keys(b).filter((field) => !HIDDEN.has(field));
  const differs = (field: string): boolean => cell(a[field]) !== cell(b[field]);
  if (versions.length === 1) return <OneVersion version={b} fields={fields} />;
  const shown = fields.filter((field) => all || differs(field));
  return (
    <Section
      title="Versions side by side"
      about={`The record has ${versions.length} versions. Differences are marked.`}
      aside={
        <label>
          <input type="checkbox" checked={all} onChange={({ currentTarget }) => setAll(currentTarget.checked)} /> also
          equal fields
        </label>
      }
    >
      <ScrollRegion label="Two versions side by side">
        <table class="compare">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">
                <Pick label="Older version" versions={versions} value={older} onChange={setOlder} />
              </th>
              <th scope="col">
                <Pick label="Newer version" versions={versions} value={newer} onChange={setNewer} />
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((field) => (
              <tr key={field} class={differs(field) ? 'differs' : undefined}>
                <th scope="row">{field.replaceAll('_', ' ')}</th>
                <td>{cell(a[field]) || NONE}</td>
                <td>{differs(field) ? <mark>{cell(b[field]) || NONE}</mark> : cell(b[field]) || NONE}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {shown.length === 0 && <Nothing>These versions are equal.</Nothing>}
    </Section>
  );
}

function OneVersion({ version, fields }: { version: ApiRow; fields: string[] }): JSX.Element {
  return (
    <Section
      title="One version"
      about={`The record has one version, from ${instant(version['valid_from'])} UTC. So there is nothing to compare.`}
    >
      <dl class="facts">
        {fields.map((field) => (
          <Fact key={field} name={field.replaceAll('_', ' ')}>
            {cell(version[field]) || NONE}
          </Fact>
        ))}
      </dl>
    </Section>
  );
}

function Pick({
  label,
  versions,
  value,
  onChange,
}: {
  label: string;
  versions: ApiRow[];
  value: number;
  onChange: (at: number) => void;
}): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
      {versions.map((version, i) => (
        <option key={i} value={i}>
          version {cell(version['version'])}, from {instant(version['valid_from'])}
        </option>
      ))}
    </select>
  );
}
