import { createHash } from 'node:crypto';
import { versionIn, type Reply } from './client.js';
import { sha256 } from '../../base/hash.js';

/*
 * What proves that an answer comes from the service and is whole. A gateway on the way may answer 200 with its own page.
 *
 * - Each file has the hashes of its key and its content in its metadata. An answer to GET must match both.
 * - Other programs write files without a hash, and files are damaged in a storage. Then two answers must have the same
 *   content, and the list must name the same size and version.
 * - An answer to PUT names the MD5 of the bytes as the version. Some services name other versions. Then the file itself
 *   must show the hash or the mark of the write.
 * - "Not found" is the XML error of the service, and comes twice.
 *
 * An earlier version of a file, or an earlier list, proves itself like the current one.
 */

/** Metadata of a file: the SHA-256 of its content, in hex. */
const HASH = 'x-amz-meta-tidemark-sha256';
/** Metadata of a file: the beginning of the SHA-256 of its key without the prefix. The answer may be that of another key. */
const KEY = 'x-amz-meta-tidemark-key';

/** Metadata that proves the content of a file. */
export function metadataOf(key: string, contentHash: string): Record<string, string> {
  return { [HASH]: contentHash, [KEY]: sha256(Buffer.from(key)).slice(0, 16) };
}

/** Whether the metadata in an answer is that of a key and its content. */
export function provesContent(headers: Reply['headers'], key: string, contentHash: string): boolean {
  return Object.entries(metadataOf(key, contentHash)).every(([name, value]) => headers[name] === value);
}

/** Whether the answer to a PUT names the MD5 of the sent bytes. */
export function namesContent({ headers }: Pick<Reply, 'headers'>, sent: Uint8Array): boolean {
  return versionIn(headers) === createHash('md5').update(sent).digest('hex');
}
