import { hash } from 'node:crypto';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { withoutForgotten } from '../privacy/forgotten.js';

/*
 * A spool is a sequence of frames. A frame is one line of JSON with the facts of a row and the length of its body, then
 * the bytes of the body, then a line break:
 *
 *     {"request_key":"GET /v2/companies/1","entity_id":"1",…,"sha256":"…","bytes":8}
 *     {"id":1}
 *
 * After a crash, only the last frames may be incomplete. A damaged disk may change any bytes. A reader skips each frame
 * that is incomplete, or whose body has another hash, and continues where the next one may begin.
 */

/** A response that is not landed yet. The landing zone adds the hash. */
export type NewRow = Omit<LandedRow, 'sha256'>;

/** A row whose body is still bytes. */
export interface Frame {
  facts: Omit<LandedRow, 'body'>;
  body: Buffer;
}

/** Encodes the body of a row, and adds its hash. */
export function frameOf({ request_key, entity_id, row_kind, status, fetched_at, body: text }: NewRow): Frame {
  const body = Buffer.from(text);
  const facts = { request_key, entity_id, row_kind, status, fetched_at, sha256: hash('sha256', body) };
  return { facts, body };
}

/** Returns the row of a frame. Its body is decoded when it is read. */
export function rowOf({ facts, body }: Frame): LandedRow {
  return {
    ...facts,
    get body() {
      return body.toString('utf8');
    },
  };
}

/** Removes forgotten people from a frame. Returns the same frame if it names none. */
export function stripFrame(place: Parameters<typeof withoutForgotten>[0], frame: Frame): Frame {
  const row = rowOf(frame);
  const left = withoutForgotten(place, row);
  return left === row ? frame : frameOf(left);
}

/** Returns the bytes of a frame, in pieces. */
export function encodeFrame(frame: Frame): Buffer[] {
  return [Buffer.from(`${headOf(frame)}\n`), frame.body, LINE_BREAK];
}

/** Returns the first line of a frame. It identifies the frame among those of a chunk. */
export function headOf({ facts, body }: Frame): string {
  return JSON.stringify({ ...facts, bytes: body.length });
}

const LINE_BREAK = Buffer.from('\n');
/** Longest frame in bytes. Responses are much shorter. A longer one is damaged: its length may be any number. */
const MOST_BYTES = 256 * 2 ** 20;

/** A frame and the position after it. */
export interface FoundFrame extends Frame {
  end: number;
}

/** What `readFrame` finds: a frame, that at least `lacks` bytes are missing, or undefined if the bytes are no frame. */
type Found = FoundFrame | { lacks: number } | undefined;

function readFrame(bytes: Buffer, at: number, most: number): Found {
  const head = bytes.indexOf(LINE_BREAK, at) + 1;
  if (head === 0) return bytes.length - at > most ? undefined : { lacks: 1 };
  const parsed = parseHead(bytes.toString('utf8', at, head));
  if (parsed === undefined || parsed.bytes > most) return undefined;
  const { bytes: length, ...facts } = parsed;
  const end = head + length + LINE_BREAK.length;
  if (end > bytes.length) return { lacks: end - bytes.length };
  const body = bytes.subarray(head, end - LINE_BREAK.length);
  const isSound = bytes[end - 1] === LINE_BREAK[0] && hash('sha256', body) === facts.sha256;
  return isSound ? { facts, body, end } : undefined;
}

function parseHead(line: string): (Frame['facts'] & { bytes: number }) | undefined {
  try {
    const head = JSON.parse(line) as (Frame['facts'] & { bytes: number }) | null;
    return Number.isSafeInteger(head?.bytes) && head!.bytes >= 0 ? head! : undefined;
  } catch {
    return undefined;
  }
}

// How a frame begins.
const NEXT = Buffer.from('{"request_key":');

/** Returns the position after `at` where the next frame may begin; -1 if there is none. */
function nextFrame(bytes: Buffer, at: number): number {
  return bytes.indexOf(NEXT, at + 1);
}

/** Reads the frames in some bytes. Skips incomplete and damaged ones. */
export function* parseFrames(bytes: Buffer, most = MOST_BYTES): Generator<FoundFrame> {
  for (let at = 0; at !== -1;) {
    const found = readFrame(bytes, at, most);
    const isFrame = found !== undefined && !('lacks' in found);
    if (isFrame) yield found;
    at = isFrame ? found.end : nextFrame(bytes, at);
  }
}

/**
 * Reads the frames of a file of any size. Skips incomplete and damaged ones. Has one frame in memory at a time.
 * @param source the bytes of the file, in chunks of any size
 */
export async function* streamFrames(source: AsyncIterable<Buffer>, most = MOST_BYTES): AsyncGenerator<FoundFrame> {
  let waiting: Buffer[] = [];
  let lacks = 0;
  /** Position of the waiting bytes in the file. */
  let start = 0;
  for await (const chunk of source) {
    waiting.push(chunk);
    lacks -= chunk.length;
    if (lacks > 0) continue;
    const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting);
    let at = 0;
    for (;;) {
      const found = readFrame(bytes, at, most);
      if (found === undefined) {
        const next = nextFrame(bytes, at);
        // The last bytes may be the begin of NEXT.
        at = next === -1 ? Math.max(at, bytes.length - NEXT.length) : next;
        if (next !== -1) continue;
        lacks = 1;
      } else if ('lacks' in found) {
        ({ lacks } = found);
      } else {
        yield { ...found, end: start + found.end };
        at = found.end;
        continue;
      }
      break;
    }
    start += at;
    waiting = [bytes.subarray(at)];
  }
  // A damaged length may have made the reader wait for more bytes than there are.
  for (const found of parseFrames(Buffer.concat(waiting), most)) yield { ...found, end: start + found.end };
}
