import type { JSX } from 'preact';
import type { Cell } from '../../../schemas/explorer/api.js';
import { cell, money, NONE } from '../lib/format.js';

/** A dash for a missing value. Screen readers, and the mouse, get the reason. */
export function Missing({ why, children = NONE }: { why: string; children?: string }): JSX.Element {
  return (
    <span class="soft" title={why}>
      <span aria-hidden="true">{children}</span>
      <span class="hidden">{why}</span>
    </span>
  );
}

/** Says why an amount of a fiscal year has no value in EUR. */
export function whyNoEuro(amount: Cell | undefined, currency: Cell | undefined, year: Cell | undefined): string {
  if (amount === null || amount === undefined) return 'not reported';
  return currency === null || currency === undefined
    ? 'no value in EUR: the report states no currency'
    : `no value in EUR: no exchange rate for ${cell(currency)} at the end of fiscal year ${cell(year)} (setting fx)`;
}

/** An amount of a fiscal year in EUR, or why there is none. `amount` and `currency` are as reported. */
export function Euro({
  eur,
  amount,
  currency,
  year,
}: {
  eur: Cell | undefined;
  amount: Cell | undefined;
  currency: Cell | undefined;
  year: Cell | undefined;
}): JSX.Element {
  if (eur !== null && eur !== undefined) return <>{money(eur, null)}</>;
  const why = whyNoEuro(amount, currency, year);
  if (amount === null || amount === undefined) return <Missing why={why} />;
  return <Missing why={why}>{currency === null || currency === undefined ? 'no currency' : 'no rate'}</Missing>;
}
