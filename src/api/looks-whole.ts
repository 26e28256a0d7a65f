import { BOUNDS } from '../base/json/json-bounds.js';

/** Short answers are often errors, so always parse them. In bytes. */
const LEAST_BYTES = 256;
/** Longer answers may exceed a bound. Count their values in the usual way. */
const MOST_BYTES = 2 ** 16;
/** An error is short, or begins with its name. In bytes. */
const HEAD_BYTES = 512;
const NAMES_OF_ERRORS = ['error_name', 'error_guard', '"detail"'].map((name) => Buffer.from(name));
const OPENING = Buffer.from('{[');
const CLOSING = 0x7d;

/**
 * Whether a body is surely no error, and probably a JSON object within all bounds. Costs a sixth of parsing it. HTTP
 * already finds cut bodies. The load rejects a body that is broken inside, and the record is due again.
 */
export function looksWhole(status: number, body: Buffer): boolean {
  if (status !== 200 || body.length < LEAST_BYTES || body.length > MOST_BYTES) return false;
  if (body[0] !== OPENING[0] || body[body.length - 1] !== CLOSING) return false;
  const head = body.subarray(0, HEAD_BYTES);
  return !NAMES_OF_ERRORS.some((name) => head.includes(name)) && isFlat(body);
}

/** Whether a body has too few brackets to nest too deep. */
function isFlat(body: Buffer): boolean {
  let left: number = BOUNDS.depth;
  for (const bracket of OPENING)
    for (let at = body.indexOf(bracket); at !== -1; at = body.indexOf(bracket, at + 1)) if (--left < 0) return false;
  return true;
}
