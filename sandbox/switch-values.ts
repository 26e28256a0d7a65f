import { InvalidArgumentError } from 'commander';
import { DRIFT_KINDS, type DriftKind } from './faults/drift.js';
import { DEFAULT_STATUSES, type Statuses } from './options.js';

/* Parsers for the texts of flags. Each parser throws InvalidArgumentError for a text that it does not accept. */

/** Returns the text unchanged. */
export function text(given: string): string {
  return given;
}

/** Parses a whole number, which may be negative. */
export function wholeNumber(given: string): number {
  if (!/^-?\d+$/.test(given)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(given);
}

/** Parses a whole number that is not negative. */
export function count(given: string): number {
  if (!/^\d+$/.test(given)) throw new InvalidArgumentError('Expected a whole number from 0.');
  return Number(given);
}

/** Parses a comma-separated list. */
export function names(given: string): string[] {
  return given.split(',').filter((name) => name !== '');
}

/** Parses a comma-separated list of kinds of schema drift. */
export function driftKinds(given: string): DriftKind[] {
  return names(given).map(oneOf(...DRIFT_KINDS));
}

/** Returns a parser that accepts only these texts. */
export function oneOf<T extends string>(...allowed: T[]): (given: string) => T {
  return (given) => {
    if (!allowed.includes(given as T)) throw new InvalidArgumentError(`Expected one of: ${allowed.join(', ')}.`);
    return given as T;
  };
}

/**
 * Parses `limit=403,invalid=422` into the statuses of version 2 errors. Errors that the text does not name keep their
 * default status.
 */
export function statuses(given: string): Statuses {
  const chosen: Record<string, number> = { ...DEFAULT_STATUSES };
  for (const pair of given.split(',')) {
    const [name = '', status = ''] = pair.split('=');
    if (!(name in DEFAULT_STATUSES) || !/^[2-5]\d\d$/.test(status)) {
      throw new InvalidArgumentError(
        `Expected name=status with a name of ${Object.keys(DEFAULT_STATUSES).join(', ')}.`,
      );
    }
    chosen[name] = Number(status);
  }
  return chosen as Statuses;
}
