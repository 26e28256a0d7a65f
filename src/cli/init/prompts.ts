import * as clack from '@clack/prompts';
import { API_KEY } from '../../base/key-fingerprint.js';

/** Rows of a list that are visible at once. */
const VISIBLE = 8;

/** Thrown when a person leaves a question with Ctrl-C or Esc. */
export class Cancelled extends Error {}

/** One entry of a list to choose from. */
export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

// Ask on stderr, so that stdout has only the result.
const output = process.stderr;

/**
 * Asks for one line.
 * @param check returns why an answer is wrong, or null
 */
export async function askText(
  message: string,
  { initial = '', check }: { initial?: string; check: (answer: string) => string | null },
): Promise<string> {
  const validate = (answer = ''): string | undefined => check(answer.trim()) ?? undefined;
  return given(await clack.text({ message, initialValue: initial, validate, output })).trim();
}

/** Asks for a secret. Shows a mark for each character. */
export async function askSecret(message: string): Promise<string> {
  const validate = (answer = ''): string | undefined =>
    API_KEY.test(answer.trim()) ? undefined : 'Paste the API key: one line, without spaces.';
  return given(await clack.password({ message, validate, output })).trim();
}

/** Asks for one entry of a short list. */
export async function askOne<T extends string>(message: string, choices: Choice<T>[]): Promise<T> {
  const options = choices as Parameters<typeof clack.select<T>>[0]['options'];
  return given(await clack.select<T>({ message, options, output })) as T;
}

/** Asks for any number of entries of a list. A person types a part of a name to search. */
export async function askSeveral<T>(message: string, choices: Choice<T>[], chosen: readonly T[]): Promise<T[]> {
  const options = choices as Parameters<typeof clack.autocompleteMultiselect<T>>[0]['options'];
  return given<T[] | symbol>(
    await clack.autocompleteMultiselect<T>({
      message,
      options,
      initialValues: [...chosen],
      placeholder: 'type to search',
      maxItems: VISIBLE,
      output,
    }),
  );
}

/** Asks yes or no; the default is no. */
export async function askWhether(message: string): Promise<boolean> {
  return given(await clack.confirm({ message, initialValue: false, output }));
}

function given<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === 'symbol') throw new Cancelled();
  return answer as Exclude<T, symbol>;
}
