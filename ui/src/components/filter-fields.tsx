import type { JSX } from 'preact';
import { count } from '../lib/format.js';
import { WITHOUT } from '../lib/list-query.js';
import { setParams } from '../lib/router.js';
import { useTyped } from '../lib/use-typed.js';

/** Chooses one of some options: value in the address, and name. */
export function OptionFilter({
  by,
  name,
  options,
  value,
}: {
  by: string;
  name: string;
  options: readonly (readonly [value: string, name: string])[];
  value: string;
}): JSX.Element {
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => setParams({ [by]: currentTarget.value })}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Chooses one value that rows have. `null` means: without a value. */
export function SelectFilter({
  by,
  name,
  options,
  value,
}: {
  by: string;
  name: string;
  options: readonly { value: string | null; rows: number }[];
  value: string;
}): JSX.Element {
  const shown = options.map(({ value: own, rows }): [string, string] => [
    own ?? WITHOUT,
    `${own ?? 'not stated'} (${count(rows)})`,
  ]);
  // A link may name a value that no row has now.
  if (value !== '' && !shown.some(([key]) => key === value)) shown.push([value, value]);
  return <OptionFilter by={by} name={name} options={[['', 'any'], ...shown]} value={value} />;
}

/** A text or a number. */
export function TextFilter({
  by,
  name,
  value,
  type,
  wide = false,
}: {
  by: string;
  name: string;
  value: string;
  type: 'search' | 'number';
  wide?: boolean;
}): JSX.Element {
  const [text, setText] = useTyped(by, value, (typed) => typed.trim());
  return (
    <label class={wide ? 'wide' : undefined}>
      {name}
      <input
        type={type}
        min={type === 'number' ? 0 : undefined}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}

/** A day. */
export function DayFilter({ by, name, value }: { by: string; name: string; value: string }): JSX.Element {
  return (
    <label>
      {name}
      <input type="date" value={value} onChange={({ currentTarget }) => setParams({ [by]: currentTarget.value })} />
    </label>
  );
}
