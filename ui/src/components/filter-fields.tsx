import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { count } from '../lib/format.js';
import { WITHOUT } from '../lib/list-query.js';
import { setParams } from '../lib/router.js';

/** A change of a text or number goes into the address this long after the last key. */
const PAUSE_MS = 300;

/** Chooses one value of a filter. `null` means: without a value. */
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
  const shown = options.map((option) => ({
    value: option.value ?? WITHOUT,
    name: `${option.value ?? 'not stated'} (${count(option.rows)})`,
  }));
  // A link may name a value that no row has now.
  if (value !== '' && !shown.some((option) => option.value === value)) shown.push({ value, name: value });
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => setParams({ [by]: currentTarget.value })}>
        <option value="">any</option>
        {shown.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
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
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => setParams({ [by]: text.trim() }, { replace: true }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
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
