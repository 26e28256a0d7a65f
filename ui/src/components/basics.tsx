import type { ComponentChildren, JSX } from 'preact';
import { RequestError } from '../lib/api.js';
import type { Loading } from '../lib/use-data.js';

/** A label with a colour that says how good a state is. The text alone must be enough. */
export function Badge({
  kind = 'plain',
  children,
}: {
  kind?: 'good' | 'warn' | 'bad' | 'plain';
  children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** A number with its name. */
export function Card({ name, value, more }: { name: string; value: string; more?: ComponentChildren }): JSX.Element {
  return (
    <div class="card">
      <p class="name">{name}</p>
      <p class="figure">{value}</p>
      {more !== undefined && <p class="more">{more}</p>}
    </div>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  about,
  aside,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {about !== undefined && <p class="about">{about}</p>}
      {children}
    </section>
  );
}

/** A wide table that scrolls by itself, also with the keyboard. `tall`: also scrolls down. */
export function ScrollRegion({
  label,
  tall = false,
  children,
}: {
  label: string;
  tall?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={tall ? 'scroll tall' : 'scroll'} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

/** A table in a scroll region. `children` are its rows. A `numeric` heading stands above numbers. */
export function TextTable({
  label,
  heads,
  class: name,
  children,
}: {
  label: string;
  heads: readonly (string | { name: string; numeric: boolean | undefined })[];
  class?: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <ScrollRegion label={label}>
      <table class={name}>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th key={i} scope="col" class={typeof head !== 'string' && head.numeric ? 'num' : undefined}>
                {typeof head === 'string' ? head : head.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollRegion>
  );
}

/** Says that there is nothing to show, and why. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="nothing">{children}</p>;
}

/** Shows an error with its remedy. The database quotes a line of the query, and marks the position below it. */
export function Failure({ error }: { error: Error }): JSX.Element {
  const [message = '', ...quoted] = error.message.split(/^(?=LINE \d+:)/m);
  return (
    <div class="failure" role="alert">
      <strong>{message.trim()}</strong>
      {quoted.length > 0 && (
        <pre tabIndex={0} aria-label="Position of the error">
          {quoted.join('')}
        </pre>
      )}
      {error instanceof RequestError && <p>{error.todo}</p>}
    </div>
  );
}

/** Shows the answer of a request, or that it is awaited or failed. `waits`: what is shown until the answer. */
export function Loaded<T>({
  from,
  waits = 'Loading …',
  children,
}: {
  from: Loading<T>;
  waits?: string;
  children: (data: T) => JSX.Element;
}): JSX.Element {
  if (from.error !== undefined) return <Failure error={from.error} />;
  if (from.data === undefined) {
    return (
      <p class="loading" role="status">
        {waits}
      </p>
    );
  }
  return <div class={from.loading ? 'stale' : undefined}>{children(from.data)}</div>;
}

/** A row of buttons of which one is chosen. */
export function Choice<T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [value: T, name: string])[];
  value: T;
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([key, name]) => (
        <button type="button" key={key} aria-pressed={key === value} onClick={() => onChange(key)}>
          {name}
        </button>
      ))}
    </div>
  );
}
