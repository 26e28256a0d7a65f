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
export interface NewRow extends Omit<LandedRow, 'sha256' | 'body'> {
  /** As text or as its bytes in UTF-8. An answer stays bytes unless somebody needs its text. */
  body: string | Uint8Array;
}

/** A row whose body is bytes. */
export interface Frame extends Omit<LandedRow, 'body'> {
  body: Buffer;
}

/** Encodes the body of a row, and adds its hash. */
export function frameOf({ request_key, entity_id, row_kind, status, fetched_at, body: given }: NewRow): Frame {
  const body = bytesOf(given);
  return { request_key, entity_id, row_kind, status, fetched_at, sha256: hash('sha256', body), body };
}

/** Returns the body of a row as text. */
export function textOf({ body }: Pick<NewRow, 'body'>): string {
  return typeof body === 'string' ? body : bytesOf(body).toString();
}

function bytesOf(body: NewRow['body']): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Returns the row of a frame. Its body is decoded when it is read. */
export function rowOf(frame: Frame): LandedRow {
  return {
    ...frame,
    get body() {
      return textOf(frame);
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
export function headOf({ body, ...facts }: Frame): string {
  return JSON.stringify({ ...facts, bytes: body.length });
}

/** Leaves out repeated frames. Two processes may have added the same frame of the bucket to a file. */
export function distinct(frames: readonly Frame[]): Frame[] {
  return [...new Map(frames.map((frame) => [headOf(frame), frame])).values()];
}

const LINE_BREAK = Buffer.from('\n');

/** Reads the frame at a position. Returns undefined if it is incomplete or damaged. */
function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const head = bytes.indexOf(LINE_BREAK, at) + 1;
  const parsed = parseHead(bytes.toString('utf8', at, head));
  if (parsed === undefined) return undefined;
  const { bytes: length, ...facts } = parsed;
  const body = bytes.subarray(head, head + length);
  const isSound = bytes[head + length] === LINE_BREAK[0] && hash('sha256', body) === facts.sha256;
  return isSound ? { ...facts, body } : undefined;
}

/** Returns the position after a frame in the bytes from which it was read. */
export function endOf({ body }: Frame, bytes: Buffer): number {
  return body.byteOffset - bytes.byteOffset + body.length + LINE_BREAK.length;
}

function parseHead(line: string): (Omit<Frame, 'body'> & { bytes: number }) | undefined {
  try {
    const head = JSON.parse(line) as (Omit<Frame, 'body'> & { bytes: number }) | null;
    return Number.isSafeInteger(head?.bytes) && head!.bytes >= 0 ? head! : undefined;
  } catch {
    return undefined;
  }
}

// How a frame begins.
const NEXT = Buffer.from('{"request_key":');

/** Reads the frames in some bytes. Skips incomplete and damaged ones. */
export function* parseFrames(bytes: Buffer): Generator<Frame> {
  for (let at = 0; at !== -1;) {
    const frame = readFrame(bytes, at);
    if (frame !== undefined) yield frame;
    at = frame === undefined ? bytes.indexOf(NEXT, at + 1) : endOf(frame, bytes);
  }
}
