import type { Duplex } from 'node:stream';

/**
 * Removes answers `100 Continue` that no request asked for, because undici closes the connection at one. RFC 9110,
 * 15.2.1 lets a client discard them. Looks only at the first bytes that follow a request, so a body stays as it is.
 */
export function skipContinue<T extends Duplex>(socket: T): T {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let isStart = false;
  let skipped = 0;
  /** Start of an answer, too short to tell its status or without its end. */
  let held: Buffer | null = null;
  socket.write = ((...args: unknown[]) => {
    isStart = true;
    skipped = 0;
    return write(...args);
  }) as T['write'];
  socket.read = (size?: number): Buffer | null => {
    let chunk = read(size);
    if (!isStart || chunk === null) return chunk;
    if (held !== null) chunk = Buffer.concat([held, chunk]);
    held = null;
    for (;;) {
      const end = endOfContinue(chunk);
      if (end === 'none' || skipped === MOST_SKIPPED) {
        isStart = false;
        return chunk;
      }
      if (end === 'unknown') {
        held = chunk;
        return null;
      }
      skipped++;
      chunk = chunk.subarray(end);
    }
  };
  return socket;
}

const CONTINUE = 'HTTP/1.1 100';
const STATUS_AT = 9;
const ONE = 0x31;
/** Most `100` answers to one request. undici closes the connection at the next one. */
const MOST_SKIPPED = 100;
/** Longest `100` answer. A longer one is left to undici. */
const LONGEST = 8_192;

/** Returns where the `100` answer at the start of a chunk ends. */
function endOfContinue(chunk: Buffer): number | 'none' | 'unknown' {
  // Almost always, the first digit of the status shows it. Comparing the text takes longer.
  if (chunk.length > STATUS_AT && chunk[STATUS_AT] !== ONE) return 'none';
  if (!CONTINUE.startsWith(chunk.toString('latin1', 0, CONTINUE.length))) return 'none';
  const end = chunk.indexOf('\r\n\r\n');
  if (end >= 0 && chunk.length >= CONTINUE.length) return end + 4;
  return chunk.length < LONGEST ? 'unknown' : 'none';
}
