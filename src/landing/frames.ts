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

/** Leaves out repeated frames. Two processes may have added the same frame of the bucket to a file. */
export function distinct(frames: readonly Frame[]): Frame[] {
  return [...new Map(frames.map((frame) => [headOf(frame), frame])).values()];
}

const LINE_BREAK = Buffer.from('\n');

/** A frame and the position after it. */
export interface FoundFrame extends Frame {
  end: number;
}

/** Reads the frame at a position. Returns undefined if it is incomplete or damaged. */
function readFrame(bytes: Buffer, at: number): FoundFrame | undefined {
  const head = bytes.indexOf(LINE_BREAK, at) + 1;
  const parsed = parseHead(bytes.toString('utf8', at, head));
  if (parsed === undefined) return undefined;
  const { bytes: length, ...facts } = parsed;
  const end = head + length + LINE_BREAK.length;
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

/** Reads the frames in some bytes. Skips incomplete and damaged ones. */
export function* parseFrames(bytes: Buffer): Generator<FoundFrame> {
  for (let at = 0; at !== -1;) {
    const found = readFrame(bytes, at);
    if (found !== undefined) yield found;
    at = found?.end ?? bytes.indexOf(NEXT, at + 1);
  }
}
