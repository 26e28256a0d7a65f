import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** More codings than this are a trick: each one multiplies the work. */
const MOST_CODINGS = 5;

const DECODERS: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  deflate: (body, options) => (isZlib(body) ? inflateSync(body, options) : inflateRawSync(body, options)),
};

/** Why a body cannot be decoded. `cut`: it ended too early. */
export class CodingError extends Error {
  readonly kind: 'cut' | 'too-large' | 'unreadable';

  constructor(kind: CodingError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Lists the codings of a body in the order in which they were applied (RFC 9110, 8.4), in lower case and without
 * `identity`. Pure.
 * @param header all lines of `Content-Encoding`
 * @throws CodingError `unreadable` for a coding that Tidemark does not know
 */
export function parseCodings(header: string | readonly string[]): string[] {
  const codings = [header]
    .flat()
    .flatMap((line) => line.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const unknown = codings.find((coding) => !Object.hasOwn(DECODERS, coding));
  if (unknown !== undefined)
    throw new CodingError('unreadable', `the body is compressed as "${unknown}"; Tidemark reads gzip, deflate and br`);
  if (codings.length > MOST_CODINGS)
    throw new CodingError('unreadable', `the body is compressed ${codings.length} times; ${MOST_CODINGS} is the most`);
  return codings;
}

/**
 * Decompresses a body. Stops as soon as the text of any coding exceeds the limit, so a small body cannot fill the
 * memory. Pure.
 * @param codings from `parseCodings`
 * @throws CodingError
 */
export function decodeBody(body: Buffer, codings: readonly string[], maxBytes: number): Buffer {
  // An answer without a body, such as 204, may still name the coding that a body would have.
  if (body.length === 0) return body;
  return codings.reduceRight((encoded, coding) => decodeOnce(encoded, coding, maxBytes), body);
}

/**
 * Reads a whole body and decompresses it.
 * @param header `Content-Encoding`
 * @throws CodingError when it cannot be decompressed or is larger than the limit; the error of a broken connection
 */
export async function readDecoded(
  body: AsyncIterable<Buffer>,
  header: string | readonly string[] | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new CodingError('too-large', `the body is larger than ${maxBytes} bytes`);
  }
  return decodeBody(Buffer.concat(chunks), parseCodings(header ?? ''), maxBytes);
}

function decodeOnce(body: Buffer, coding: string, maxBytes: number): Buffer {
  try {
    return DECODERS[coding]!(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new CodingError('too-large', `the decompressed body is larger than ${maxBytes} bytes`);
    if (code === 'Z_BUF_ERROR') throw new CodingError('cut', `the compressed body (${coding}) ends too early`);
    throw new CodingError('unreadable', `the compressed body (${coding}) is damaged: ${message}`);
  }
}

/** Whether a `deflate` body has the header of zlib (RFC 1950). Some servers send it without one (RFC 1951). */
function isZlib(body: Buffer): boolean {
  return body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
