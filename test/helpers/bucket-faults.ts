import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answered, Asked, Fault } from './wrong-proxy.js';

/*
 * Wrong answers of a bucket, or of a gateway before it. All of them can be found out.
 */

const PAGE = Buffer.from('<!doctype html><html><body><h1>We will be back soon</h1></body></html>\n');
const md5 = (body: Buffer): string => createHash('md5').update(body).digest('hex');

const xml = (code: string): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>no</Message></Error>`);
const html = { 'content-type': 'text/html' };
const asXml = { 'content-type': 'application/xml' };
const own = (status: number, body: Buffer, headers: Record<string, string> = {}): Fault => ({
  reaches: false,
  answer: () => ({ status, headers, body }),
});
const late = (status: number, body: Buffer, headers: Record<string, string> = {}): Fault => ({
  answer: () => ({ status, headers, body }),
});
const changed = (change: (truth: Answered, asked: Asked) => Partial<Answered>): Fault => ({
  answer: (truth, asked) => ({ ...truth, ...change(truth, asked) }),
});
const without = (headers: Record<string, string>, ...names: RegExp[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.some((pattern) => pattern.test(name))));
const half = (body: Buffer): Buffer => body.subarray(0, body.length / 2);

/** A file that the service has beside the others: its answers come to requests for other files. */
export const OTHER_KEY = 'another/file';
export const OTHER_BODY = Buffer.from('the content of another file');

/** Answers of another request, which a gateway sends by mistake. `other` is the true answer to a GET of `OTHER_KEY`. */
export function mixedUp(other: Answered): Record<string, Fault> {
  return { 'the answer to a request for another file': { answer: () => other } };
}

export const FAULTS: Record<string, Fault> = {
  'a maintenance page with status 200 and an ETag': own(200, PAGE, { ...html, etag: '"5f2b-264"' }),
  'a maintenance page with status 200 and its MD5 as ETag': own(200, PAGE, { ...html, etag: `"${md5(PAGE)}"` }),
  'a maintenance page with the headers of the service': changed(() => ({ status: 200, body: PAGE })),
  'a maintenance page after the request was carried out': late(200, PAGE, { ...html, etag: '"5f2b-264"' }),
  'a page with status 403': own(403, PAGE, html),
  'a page with status 404': own(404, PAGE, html),
  'a page with status 503': own(503, PAGE, html),
  'an empty body with status 200 and an ETag': own(200, Buffer.alloc(0), { etag: '"5f2b-264"' }),
  'an empty body with status 200': own(200, Buffer.alloc(0)),
  'an empty body after the request was carried out': late(200, Buffer.alloc(0), { etag: '"5f2b-264"' }),
  'an empty body with the headers of the service': changed(() => ({ body: Buffer.alloc(0) })),
  'a truncated body with its new length': changed(({ body }) => ({ body: half(body) })),
  'a truncated body without a length': {
    send(response, { status, headers, body }) {
      response.writeHead(status, { ...headers, 'transfer-encoding': 'chunked' });
      response.end(half(body));
    },
  },
  'a truncated body with its true length': {
    send(response, { status, headers, body }) {
      response.writeHead(status, { 'content-length': String(body.length + 1), ...headers });
      response.write(half(body), () => response.destroy());
    },
  },
  'no answer': { send: (response) => void response.destroy() },
  'no answer, and the request did not arrive': { reaches: false, send: (response) => void response.destroy() },
  'no HTTP': {
    send: (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
  },
  'a changed byte': changed(({ body }) => {
    const other = Buffer.from(body);
    const at = Math.floor(other.length / 2);
    if (other.length > 0) other[at] = (other[at] ?? 0) ^ 1;
    return { body: other };
  }),
  'more bytes at the end': changed(({ body }) => ({ body: Buffer.concat([body, Buffer.from('\n<!-- checked -->')]) })),
  'an error of the service with status 200': own(200, xml('InternalError'), asXml),
  'an error of the service with status 200 after the request was carried out': late(200, xml('InternalError'), asXml),
  'the error AccessDenied with status 200': own(200, xml('AccessDenied'), { ...asXml, etag: '"5f2b-264"' }),
  'status 403 AccessDenied': own(403, xml('AccessDenied'), asXml),
  'status 403 after the request was carried out': late(403, xml('AccessDenied'), asXml),
  'status 403 RequestTimeTooSkewed': own(403, xml('RequestTimeTooSkewed'), asXml),
  'status 400 ExpiredToken': own(400, xml('ExpiredToken'), asXml),
  'status 400 BadDigest': own(400, xml('BadDigest'), asXml),
  'status 404 NoSuchKey': own(404, xml('NoSuchKey'), asXml),
  'status 404 NoSuchBucket': own(404, xml('NoSuchBucket'), asXml),
  'a redirect to another region': own(301, xml('PermanentRedirect'), { ...asXml, 'x-amz-bucket-region': 'eu-north-1' }),
  'a redirect to another address': own(307, xml('TemporaryRedirect'), { ...asXml, location: 'http://127.0.0.1:1/' }),
  'a redirect to a page': own(302, PAGE, { ...html, location: 'http://127.0.0.1:1/login' }),
  'status 202': own(202, Buffer.alloc(0), { etag: '"5f2b-264"' }),
  'status 204': own(204, Buffer.alloc(0), { etag: '"5f2b-264"' }),
  'status 206 with a part': changed(({ body }) => ({
    status: 206,
    body: half(body),
    headers: { etag: '"5f2b-264"', 'content-range': `bytes 0-${half(body).length - 1}/${body.length}` },
  })),
  'status 409': own(409, xml('OperationAborted'), asXml),
  'status 412': own(412, xml('PreconditionFailed'), asXml),
  'status 412 after the request was carried out': late(412, xml('PreconditionFailed'), asXml),
  'status 429': own(429, xml('SlowDown'), asXml),
  'status 500 after the request was carried out': late(500, xml('InternalError'), asXml),
  'no ETag': changed(({ headers }) => ({ headers: without(headers, /^etag$/) })),
  'another ETag': changed(({ headers }) => ({ headers: { ...headers, etag: '"0123456789abcdef0123456789abcdef"' } })),
  'no metadata': changed(({ headers }) => ({ headers: without(headers, /^x-amz-meta-/) })),
  'no headers': changed(() => ({ headers: {} })),
  'another hash in the metadata': changed(({ headers }) => ({
    headers: { ...headers, 'x-amz-meta-tidemark-sha256': createHash('sha256').update('else').digest('hex') },
  })),
  'an answer from a cache': changed(({ headers }) => ({ headers: { ...headers, age: '86400' } })),
  'a body that is not compressed as it says': changed(({ headers }) => ({
    headers: { ...headers, 'content-encoding': 'gzip' },
  })),
  'a compressed page': own(200, gzipSync(PAGE), { ...html, 'content-encoding': 'gzip', etag: '"5f2b-264"' }),
  'a large page with status 500': own(500, Buffer.alloc(20 * 2 ** 20, 'x'), html),
  'a large page with status 200': own(200, Buffer.alloc(20 * 2 ** 20, 'x'), { ...html, etag: '"5f2b-264"' }),
  'a list that lacks its last key': changed(({ headers, body }) => ({
    headers,
    body: Buffer.from(body.toString('latin1').replace(/<Contents>(?!.*<Contents>).*<\/Contents>/s, ''), 'latin1'),
  })),
  'a list without its end': changed(({ headers, body }) => ({
    headers,
    body: Buffer.from(body.toString('latin1').replace(/<IsTruncated>.*<\/IsTruncated>/, ''), 'latin1'),
  })),
  'a list of other keys': changed(({ headers, body }) => ({
    headers,
    body: Buffer.from(body.toString('latin1').replace(/<Prefix>[^<]*/, '<Prefix>other/'), 'latin1'),
  })),
};
