import { open, type FileHandle } from 'node:fs/promises';

/* Frames of a file that is compressed with zstd (RFC 8878). Only their lengths are read, not their content. */

const FRAME = 0xfd2fb528;
const CHECKSUM_BYTES = 4;

/**
 * Checks that a file consists of whole frames.
 * @throws Error if the file is cut off, or something else follows a frame
 */
export async function requireWholeZstd(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    let at = 0;
    while (at < size) at = await endOfFrame(handle, at);
    if (at > size) throw new Error('it is cut off');
  } finally {
    await handle.close();
  }
}

async function endOfFrame(handle: FileHandle, start: number): Promise<number> {
  const head = await bytesAt(handle, start, 8);
  const magic = head.readUInt32LE(0);
  // A frame that readers skip, with its length.
  if (magic >>> 4 === 0x184d2a5) return start + 8 + head.readUInt32LE(4);
  if (magic !== FRAME) throw new Error('something that is not zstd follows its content');
  const descriptor = head.readUInt8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const idBytes = [0, 1, 2, 4][descriptor & 3] as number;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  let at = start + 5 + (isSingle ? 0 : 1) + idBytes + sizeBytes;
  for (let isLast = false; !isLast;) {
    const block = (await bytesAt(handle, at, 3)).readUIntLE(0, 3);
    isLast = (block & 1) !== 0;
    // A block of kind 1 repeats one byte.
    at += 3 + (((block >> 1) & 3) === 1 ? 1 : block >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new Error('it is cut off');
  return buffer;
}
