import { useEffect, useState } from 'preact/hooks';
import { setParams } from './router.js';

/** A text goes into the address this long after the last key. */
const PAUSE_MS = 300;

/**
 * Holds the text of an input while a person types. The text goes into the address after a pause.
 * @param by parameter of the address
 * @param value of the parameter now
 * @param clean changes the text for the address
 */
export function useTyped(
  by: string,
  value: string,
  clean: (text: string) => string = (text) => text,
): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => setParams({ [by]: clean(text) }, { replace: true }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
