import type { JSX } from 'preact';
import { setParams, useLocation } from '../lib/router.js';
import { Choice } from './basics.js';

/** The parts of a page: key in the address, and name. The first one is shown if the address names none. */
type Parts<T extends string> = readonly [readonly [T, string], ...(readonly (readonly [T, string])[])];

/** Reads from the address which part of a page is shown. */
export function useTab<T extends string>(tabs: Parts<T>, param = 'tab'): T {
  const asked = useLocation().searchParams.get(param);
  return (tabs.find(([key]) => key === asked) ?? tabs[0])[0];
}

/** Buttons for the parts of a page. The choice goes into the address. */
export function Tabs<T extends string>({
  tabs,
  chosen,
  label = 'Parts',
  param = 'tab',
}: {
  tabs: Parts<T>;
  chosen: T;
  label?: string;
  param?: string;
}): JSX.Element {
  return (
    <Choice
      label={label}
      options={tabs}
      value={chosen}
      onChange={(next) => setParams({ [param]: next === tabs[0][0] ? null : next })}
    />
  );
}
