import {
  createReadStream,
  createWriteStream,
  openSync,
  readFileSync,
  readSync,
  closeSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, inflateRawSync } from 'node:zlib';

// Extracts one file from a .tar.gz or .zip. Uses no system tool, because a slim container image may have none.

const BLOCK = 512;

/**
 * Extracts one file from an archive.
 *
 * @param {string} archive a .tar.gz or a .zip; its first bytes show which of them it is
 * @param {string} name file name inside the archive, in any folder
 * @param {string} target file to write
 * @returns {Promise<void>}
 * @throws {Error} when the archive is damaged, incomplete, of another kind, or lacks the file
 */
export async function extractFile(archive, name, target) {
  const magic = readStart(archive, 4);
  if (magic.readUInt16BE(0) === 0x1f8b) return extractFromTarGz(archive, name, target);
  if (magic.readUInt32LE(0) === 0x04034b50) return extractFromZip(archive, name, target);
  throw new Error(
    `the downloaded file is neither a .tar.gz nor a .zip (it starts with ${JSON.stringify(readStart(archive, 40).toString('latin1'))})`,
  );
}

/**
 * @param {string} archive
 * @param {string} name
 * @param {string} target
 */
async function extractFromTarGz(archive, name, target) {
  const source = createReadStream(archive).pipe(createGunzip());
  const reader = chunkReader(source);
  let found = false;
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) break; // end of the archive
    const entry = parseTarHeader(header);
    const padding = (BLOCK - (entry.size % BLOCK)) % BLOCK;
    const wanted = entry.isFile && path.posix.basename(entry.name) === name;
    if (wanted) await pipeline(Readable.from(reader.takeParts(entry.size)), createWriteStream(target));
    else for await (const _ of reader.takeParts(entry.size)) void _;
    await reader.take(padding);
    found ||= wanted;
  }
  // Read the rest of the stream: gzip reports a damaged stream only at its end.
  for await (const _ of reader.rest()) void _;
  if (!found) throw new Error(`the archive contains no file named ${name}`);
}

/**
 * Parses a tar header.
 *
 * @param {Buffer} header one block of 512 bytes
 * @returns {{ name: string, size: number, isFile: boolean }} `size` is in bytes
 * @throws {Error} when the header has no size
 */
export function parseTarHeader(header) {
  const text = (/** @type {number} */ from, /** @type {number} */ to) =>
    header.toString('utf8', from, to).replace(/\0.*$/s, '');
  const size = Number.parseInt(text(124, 136).trim() || '0', 8);
  if (Number.isNaN(size)) throw new Error('the archive is damaged: a tar header without a size');
  const type = text(156, 157);
  return { name: text(0, 100), size, isFile: type === '' || type === '0' };
}

/**
 * Reads exact numbers of bytes from a stream.
 *
 * @param {AsyncIterable<Buffer>} stream
 */
function chunkReader(stream) {
  const chunks = stream[Symbol.asyncIterator]();
  /** @type {Buffer} */
  let buffer = Buffer.alloc(0);
  const more = async () => {
    const next = await chunks.next();
    if (next.done) throw new Error('the archive is cut off: the download is incomplete');
    buffer = next.value;
  };
  /** @param {number} size */
  async function* takeParts(size) {
    for (let left = size; left > 0;) {
      if (buffer.length === 0) await more();
      const part = buffer.subarray(0, left);
      buffer = buffer.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
  /** @param {number} size */
  async function take(size) {
    const parts = [];
    for await (const part of takeParts(size)) parts.push(part);
    return Buffer.concat(parts);
  }
  return { take, takeParts, rest: () => ({ [Symbol.asyncIterator]: () => chunks }) };
}

/**
 * @param {string} archive
 * @param {string} name
 * @param {string} target
 */
function extractFromZip(archive, name, target) {
  for (const entry of zipEntries(readFileSync(archive))) {
    if (path.posix.basename(entry.name) !== name) continue;
    writeFileSync(target, entry.read());
    return;
  }
  throw new Error(`the archive contains no file named ${name}`);
}

/**
 * Lists the entries of a zip.
 *
 * @param {Buffer} zip
 * @returns {Generator<{ name: string, read: () => Buffer }>} `read` unpacks the entry
 * @throws {Error} when the zip is incomplete
 */
export function* zipEntries(zip) {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + 22 > zip.length)
    throw new Error('the archive is cut off: the zip directory at its end is missing');
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const start = at;
    const nameLength = zip.readUInt16LE(start + 28);
    const name = zip.toString('utf8', start + 46, start + 46 + nameLength);
    yield { name, read: () => readZipEntry(zip, start) };
    at += 46 + nameLength + zip.readUInt16LE(start + 30) + zip.readUInt16LE(start + 32);
  }
}

/**
 * Reads and unpacks one entry of a zip.
 *
 * @param {Buffer} zip
 * @param {number} at start of the entry's record in the central directory
 * @throws {Error} when the size of the entry differs from the size in its record
 */
function readZipEntry(zip, at) {
  const method = zip.readUInt16LE(at + 10);
  const packed = zip.readUInt32LE(at + 20);
  const size = zip.readUInt32LE(at + 24);
  const local = zip.readUInt32LE(at + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const bytes = zip.subarray(start, start + packed);
  const content = method === 8 ? inflateRawSync(bytes) : bytes;
  if (content.length !== size)
    throw new Error(`the archive is damaged: its content has ${content.length} bytes instead of ${size}`);
  return content;
}

/**
 * @param {string} file
 * @param {number} length
 */
function readStart(file, length) {
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const read = readSync(handle, buffer, 0, length, 0);
    if (read < 4) throw new Error(`the downloaded file is only ${read} bytes long`);
    return buffer.subarray(0, read);
  } finally {
    closeSync(handle);
  }
}
