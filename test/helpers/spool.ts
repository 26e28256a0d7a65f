import { encodeFrame, frameOf, type NewRow } from '../../src/landing/index.js';

/** Returns the content of a spool with these rows. */
export function spoolOf(rows: readonly NewRow[]): Buffer {
  return Buffer.concat(rows.map(frameOf).flatMap(encodeFrame));
}
