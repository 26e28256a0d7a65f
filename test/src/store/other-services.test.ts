import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/store/errors.js';
import { Bucket } from '../../../src/store/s3/bucket.js';
import { S3Client } from '../../../src/store/s3/client.js';
import {
  breakOff,
  cutOff,
  reply,
  startScripted,
  type Answer,
  type ScriptedServer,
  type SeenRequest,
} from '../../helpers/scripted-server.js';
import { expectReason } from './contract.js';

/*
 * Services differ in what they answer. These answers come from a script over real HTTP; no service is imitated.
 */

const SECRET = 'secret+of/the=test';
const ENV = {
  AWS_ACCESS_KEY_ID: 'key-of-the-test',
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: 'token-of-the-test',
};
const KEY = 'a/b';
const BODY = Buffer.from('body');
const MARK = 'x-amz-meta-tidemark-write';

let server: ScriptedServer;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-scripted-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

async function open(answers: readonly Answer[], forMs = 5_000): Promise<Bucket> {
  server = await startScripted(answers);
  const settings = { bucket: 'bucket', prefix: 'p', endpoint: server.url };
  return new Bucket(new S3Client(settings, ENV, { forMs, pauseMs: 1, longestMs: 4 }), 10);
}

const error = (code: string): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${SECRET}</Message></Error>`;
const digest = (kind: 'md5' | 'sha256', body: string | Buffer): string => createHash(kind).update(body).digest('hex');
/** Metadata that proves the content of the file. */
const metadata = (hash: string): Record<string, string> => ({
  'x-amz-meta-tidemark-sha256': hash,
  'x-amz-meta-tidemark-key': digest('sha256', KEY).slice(0, 16),
});
/** Answers with a file and its metadata. */
const stored = (body: string | Buffer, etag: string, headers: Record<string, string> = {}): Answer =>
  reply(200, body, { etag: `"${etag}"`, ...metadata(digest('sha256', body)), ...headers });
/** Answers that a file was written. */
const written = (body: Buffer = BODY): Answer => reply(200, '', { etag: `"${digest('md5', body)}"` });
const calls = (): string[] => server.seen.map(({ method, url }) => `${method} ${url}`);
/** Answers with a file that carries the mark of the n-th request. */
const markOf =
  (n: number, body = BODY): Answer =>
  (request, response) =>
    stored(body, 'made', { [MARK]: String(server.seen[n]?.headers[MARK]) })(request, response);
const other = stored('of another writer', 'other', { [MARK]: 'another' });

describe('a conditional write', () => {
  it('sends the condition, and reads versions with or without quotes', async () => {
    const bodies = ['one', 'two', 'three'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
    const [v1, v2, v3] = bodies.map((body) => digest('md5', body)) as [string, string, string];
    const storage = await open([
      reply(200, '', { etag: `"${v1}"` }),
      reply(200, '', { etag: v2 }),
      reply(200, '', { etag: `W/"${v3}"` }),
    ]);
    expect(await storage.create(KEY, bodies[0])).toBe(v1);
    expect(await storage.replace(KEY, bodies[1], 'v1')).toBe(v2);
    expect(await storage.replace(KEY, bodies[2], 'v2')).toBe(v3);
    expect(server.seen.map(({ headers }) => headers['if-none-match'] ?? headers['if-match'])).toEqual([
      '*',
      '"v1"',
      '"v2"',
    ]);
  });

  it('reads the file once after 412, before it reports a lost race', async () => {
    const storage = await open([reply(412, error('PreconditionFailed')), other, reply(412), other]);
    await expectReason(storage.create(KEY, BODY), 'exists');
    await expectReason(storage.replace(KEY, BODY, 'v1'), 'changed');
    const both = ['PUT /bucket/p/a/b', 'GET /bucket/p/a/b'];
    expect(calls()).toEqual([...both, ...both]);
  });

  it.each([
    ['412', reply(412, error('PreconditionFailed'))],
    ['a page with status 200 and an ETag', reply(200, '<html>Back soon</html>', { etag: '"v2"' })],
    ['an empty body with status 200 and an ETag', reply(200, '', { etag: '"v2"' })],
    ['status 202', reply(202, '', { etag: '"v2"' })],
  ])('writes again after a wrong answer: %s', async (_name, wrong) => {
    const missing = reply(404, error('NoSuchKey'));
    const look = _name === 'status 202' || _name.startsWith('a page') ? [] : [missing, missing];
    const storage = await open([wrong, ...look, written()]);
    expect(await storage.create(KEY, BODY)).toBe(digest('md5', BODY));
    expect(server.left).toBe(0);
  });

  it.each([
    ['a broken connection', breakOff],
    ['status 500', reply(500, error('InternalError'))],
    ['an error with status 200', reply(200, error('InternalError'))],
  ])('finds its own file after %s', async (_name, first) => {
    const storage = await open([first, reply(412), markOf(0), first, reply(412), markOf(3)]);
    expect(await storage.create(KEY, BODY)).toBe('made');
    expect(await storage.replace(KEY, BODY, 'v1')).toBe('made');
    expect(server.left).toBe(0);
  });

  it("does not take another writer's equal file for its own", async () => {
    const equal = stored(BODY, 'other', { [MARK]: 'another' });
    const storage = await open([breakOff, reply(412), equal, breakOff, reply(412), equal]);
    await expectReason(storage.create(KEY, BODY), 'exists');
    await expectReason(storage.replace(KEY, BODY, 'v1'), 'changed');
  });

  it('understands 409 as a lost race if another file is there', async () => {
    const conflict = reply(409, error('ConditionalRequestConflict'));
    const storage = await open([conflict, other, conflict, other]);
    await expectReason(storage.create(KEY, BODY), 'exists');
    await expectReason(storage.replace(KEY, BODY, 'v1'), 'changed');
  });

  it('tries again after 409 if nothing changed', async () => {
    const conflict = reply(409, error('ConditionalRequestConflict'));
    const missing = reply(404, error('NoSuchKey'));
    const unchanged = stored('old', 'v1', { [MARK]: 'another' });
    const storage = await open([conflict, missing, missing, written(), conflict, unchanged, written()]);
    const version = digest('md5', BODY);
    expect(await storage.create(KEY, BODY)).toBe(version);
    expect(await storage.replace(KEY, BODY, 'v1')).toBe(version);
  });

  it('tries again if the service shows its file late', async () => {
    const late = reply(404, error('NoSuchKey'));
    const storage = await open([breakOff, reply(412), late, late, reply(412), markOf(0)]);
    expect(await storage.create(KEY, BODY)).toBe('made');
  });

  it('understands 404 as a removed file', async () => {
    const missing = reply(404, error('NoSuchKey'));
    const storage = await open([missing, missing, missing]);
    await expectReason(storage.replace(KEY, BODY, 'v1'), 'changed');
  });

  it('reads the version if the service does not name it', async () => {
    const storage = await open([reply(200), markOf(0)]);
    expect(await storage.create(KEY, BODY)).toBe('made');
  });
});

describe('an unusable answer', () => {
  it.each([
    ['429', reply(429)],
    ['503 SlowDown', reply(503, error('SlowDown'))],
    ['502 of a proxy', reply(502, '<html>bad gateway</html>')],
    ['400 RequestTimeout', reply(400, error('RequestTimeout'))],
    ['a broken connection', breakOff],
    ['a body that ends too early', cutOff('0123456789', 4, { etag: '"v1"' })],
  ])('leads to another attempt: %s', async (_name, answer) => {
    const storage = await open([answer, answer, stored('text', 'v1')]);
    expect(await storage.read(KEY)).toEqual({ body: Buffer.from('text'), version: 'v1' });
  });

  it('ends the attempts after a time, with the place and the cause', async () => {
    const storage = await open(
      Array.from({ length: 100 }, () => reply(503, error('SlowDown'))),
      30,
    );
    await expectReason(storage.read(KEY), 'unreachable');
    await expect(storage.read(KEY)).rejects.toThrow(
      's3://bucket/p: a/b cannot be reached: the service answers 503 SlowDown.',
    );
    await expect(storage.read(KEY)).rejects.toMatchObject({ retryable: true, type: 'StorageUnavailable' });
  });

  it.each([
    [403, 'AccessDenied', {}, 'the credentials lack a right (403 AccessDenied).', 's3:PutObject'],
    [403, 'InvalidAccessKeyId', {}, 'the service does not know the access key', 'AWS_ACCESS_KEY_ID'],
    [403, 'SignatureDoesNotMatch', {}, 'the service does not accept the signature', 'AWS_SECRET_ACCESS_KEY'],
    [400, 'ExpiredToken', {}, 'the credentials have expired', 'new credentials'],
    [403, 'RequestTimeTooSkewed', {}, "this machine's clock differs", 'NTP'],
    [404, 'NoSuchBucket', {}, 'the bucket does not exist', 'create the bucket'],
    [501, 'NotImplemented', {}, 'the service lacks a function', 'conditional writes'],
    [
      301,
      'PermanentRedirect',
      { 'x-amz-bucket-region': 'eu-north-1' },
      'is in the region eu-north-1',
      'AWS_REGION to eu-north-1',
    ],
    [400, 'AuthorizationHeaderMalformed', {}, 'the bucket is in another region', 'Set AWS_REGION.'],
    [405, 'Method 1', {}, 'refuses the request (405 Error).', 'S3-compatible'],
  ])(
    'explains %d %s after three answers, and does not repeat the request',
    async (status, code, headers, what, todo) => {
      const answer = reply(status, error(code), headers);
      const storage = await open(Array.from({ length: 9 }, () => answer));
      const works = [() => storage.read(KEY), () => storage.create(KEY, BODY), () => storage.list('').next()];
      for (const work of works) {
        const thrown: unknown = await work().catch((caught: unknown) => caught);
        expect(thrown).toBeInstanceOf(StorageError);
        const { message, todo: remedy, retryable } = thrown as StorageError;
        expect(message).toContain(what);
        expect(message).toContain('s3://bucket/p');
        expect(remedy).toContain(todo);
        expect(retryable).toBe(false);
        for (const secret of Object.values(ENV)) expect(`${message} ${remedy}`).not.toContain(secret);
      }
      expect(server.seen).toHaveLength(9);
    },
  );

  it.each([
    ['403', reply(403, error('AccessDenied'))],
    ['the redirect of a portal', reply(302, '<html>Log in</html>', { location: 'https://login.example' })],
    ['the redirect to another region', reply(301, error('PermanentRedirect'), { 'x-amz-bucket-region': 'eu-north-1' })],
    ['404 of a gateway', reply(404, '<html>Not found</html>')],
  ])('leads to another attempt if it comes once: %s', async (_name, answer) => {
    const storage = await open([answer, stored('text', 'v1')]);
    expect((await storage.read(KEY))?.body.toString()).toBe('text');
  });
});

describe('a list', () => {
  const page = (entries: [string, number][], next?: string): Answer =>
    reply(
      200,
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${entries
        .map(([key, size]) => `<Contents><Key>${key}</Key><Size>${size}</Size><ETag>&quot;x&quot;</ETag></Contents>`)
        .join('')}<IsTruncated>${next !== undefined}</IsTruncated>${
        next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
      }</ListBucketResult>`,
    );

  it('reads all pages, and skips names that are no keys', async () => {
    const storage = await open([
      page(
        [
          ['p/a&amp;b &lt;1&gt;', 1],
          ['p/a/', 0],
        ],
        'x+/= &amp;y',
      ),
      page(
        [
          ['p/a/.hidden/c', 2],
          ['p/a&#x20;&#xe9;', 3],
        ],
        'z',
      ),
      page([]),
    ]);
    const entries = [];
    for await (const entry of storage.list('a')) entries.push(entry);
    expect(entries).toEqual([
      { key: 'a&b <1>', bytes: 1 },
      { key: 'a é', bytes: 3 },
    ]);
    expect(calls()).toEqual([
      'GET /bucket/?list-type=2&prefix=p%2Fa',
      'GET /bucket/?list-type=2&prefix=p%2Fa&continuation-token=x%2B%2F%3D%20%26y',
      'GET /bucket/?list-type=2&prefix=p%2Fa&continuation-token=z',
    ]);
  });

  it.each([
    ['cut XML', reply(200, '<ListBucketResult><Contents><Key>p/a')],
    ['a page of HTML', reply(200, '<html><body>Welcome</body></html>')],
    ['no next page', reply(200, '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>')],
    ['no size', reply(200, '<ListBucketResult><Contents><Key>p/a</Key></Contents></ListBucketResult>')],
  ])('never reports a list as complete that has %s', async (_name, answer) => {
    const storage = await open(
      Array.from({ length: 100 }, () => answer),
      30,
    );
    await expectReason(storage.list('').next(), 'unreachable');
  });
});

describe('a download', () => {
  const text = '0123456789';
  const expected = { bytes: 10, sha256: createHash('sha256').update(text).digest('hex') };
  const expectDownload = async (storage: Bucket) => {
    const file = path.join(folder, 'to');
    expect(await storage.download(KEY, file, expected)).toEqual(expected);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['to']);
  };
  const conditions = () => server.seen.map(({ headers }) => [headers.range, headers['if-match']]);

  const long = '0123456789abcdefghij+';
  const whole = { bytes: 21, sha256: createHash('sha256').update(long).digest('hex') };
  /** Answers with the range that was asked for. */
  const range =
    (etag: string, content = long): Answer =>
    (request, response) => {
      const [, start = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range)) ?? [];
      const body = content.slice(Number(start), Number(last) + 1);
      const headers = { etag, 'content-range': `bytes ${start}-${Number(start) + body.length - 1}/${content.length}` };
      reply(206, body, headers)(request, response);
    };
  const expectLong = async (storage: Bucket) => {
    const file = path.join(folder, 'to');
    expect(await storage.download(KEY, file, whole)).toEqual(whole);
    expect(readFileSync(file, 'utf8')).toBe(long);
    expect(readdirSync(folder)).toEqual(['to']);
  };

  it('takes a large file in pieces, and repeats only a piece that did not come', async () => {
    const part = range('"v1"');
    await expectLong(await open([part, cutOff(long.slice(10, 20), 4, { etag: '"v1"' }), reply(503), part, part]));
    expect(conditions()).toEqual([
      ['bytes=0-9', undefined],
      ['bytes=10-19', '"v1"'],
      ['bytes=10-19', '"v1"'],
      ['bytes=10-19', '"v1"'],
      ['bytes=20-29', '"v1"'],
    ]);
  });

  it('says that a file is damaged if it is larger than expected', async () => {
    const part = range('"v1"', 'x'.repeat(50));
    const storage = await open(Array.from({ length: 9 }, () => part));
    await expectReason(storage.digest(KEY, whole), 'damaged');
  });

  it('says that a file changed, not that it is damaged, if it changes each time', async () => {
    const changes = [range('"v1"', 'x'.repeat(21)), reply(412, error('PreconditionFailed'))];
    const storage = await open([...changes, ...changes, ...changes]);
    await expectReason(storage.digest(KEY, whole), 'unreachable');
  });

  it('begins again if the file changed meanwhile', async () => {
    const [before, part] = [range('"v1"', 'x'.repeat(21)), range('"v2"')];
    await expectLong(await open([before, reply(412, error('PreconditionFailed')), part, part, part]));
    expect(conditions()[2]).toEqual(['bytes=0-9', undefined]);
  });

  it('begins again if the service ignores the range of a later piece', async () => {
    await expectLong(
      await open([range('"v1"'), reply(200, long, { etag: '"v1"' }), ...[1, 2, 3].map(() => range('"v1"'))]),
    );
  });

  it('takes the whole file from a service that ignores ranges', async () => {
    await expectLong(await open([reply(200, long, { etag: '"v1"' })]));
  });

  it('rejects a range that was not asked for', async () => {
    const wrong = reply(206, 'abcdefghij', { etag: '"v1"', 'content-range': 'bytes 10-19/21' });
    await expectLong(await open([wrong, ...[1, 2, 3].map(() => range('"v1"'))]));
  });

  it('reads an empty file whose size is unknown', async () => {
    const empty = createHash('sha256').digest('hex');
    const storage = await open([reply(416, error('InvalidRange')), stored('', 'v1')]);
    expect(await storage.digest(KEY)).toEqual({ bytes: 0, sha256: empty });
  });

  it('waits for a file that the service shows late', async () => {
    const late = reply(404, error('NoSuchKey'));
    await expectDownload(await open([late, late, reply(200, text, { etag: '"v1"' })]));
  });
});

describe('an upload in pieces', () => {
  const started = reply(
    200,
    '<InitiateMultipartUploadResult><UploadId>id+1</UploadId></InitiateMultipartUploadResult>',
  );
  const piece = (etag: string): Answer => reply(200, '', { etag: `"${etag}"` });
  const joined = reply(200, '<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>');
  const gone = reply(404, error('NoSuchUpload'));
  const upload = async (storage: Bucket) => {
    const file = path.join(folder, 'from');
    writeFileSync(file, '0123456789abcdefghij+');
    return storage.upload(KEY, file);
  };
  /** Answers pieces by their number, because they are sent at the same time. */
  const anyPiece: Answer = (request, response) =>
    piece(`etag ${/partNumber=(\d)/.exec(request.url)?.[1]}`)(request, response);
  const pieces = [anyPiece, anyPiece, anyPiece];

  it('joins the pieces in order', async () => {
    const storage = await open([started, ...pieces, joined]);
    expect((await upload(storage)).bytes).toBe(21);
    const bodies = Object.fromEntries(server.seen.slice(1, 4).map(({ url, body }) => [url, body.toString()]));
    expect(bodies).toEqual({
      '/bucket/p/a/b?partNumber=1&uploadId=id%2B1': '0123456789',
      '/bucket/p/a/b?partNumber=2&uploadId=id%2B1': 'abcdefghij',
      '/bucket/p/a/b?partNumber=3&uploadId=id%2B1': '+',
    });
    expect(server.seen[4]?.body.toString()).toMatch(/<PartNumber>1<.*etag 1.*<PartNumber>2<.*etag 2.*<PartNumber>3</);
  });

  it.each([
    ['status 200 with an error', reply(200, error('InternalError'))],
    ['status 500', reply(500)],
  ])('joins again after %s', async (_name, failed) => {
    await upload(await open([started, ...pieces, failed, joined]));
    expect(server.left).toBe(0);
  });

  it('finds its own file if the answer to the last request was lost', async () => {
    const head: Answer = (request, response) => {
      const hash = String(server.seen[0]?.headers['x-amz-meta-tidemark-sha256']);
      reply(200, '', { ...metadata(hash), 'content-length': '21' })(request, response);
    };
    await upload(await open([started, ...pieces, breakOff, gone, head]));
    expect(calls().at(-1)).toBe('HEAD /bucket/p/a/b');
  });

  it('fails if another upload made the file, and removes its pieces', async () => {
    const head = reply(200, '', { ...metadata(digest('sha256', 'another')), 'content-length': '21' });
    const tries = Array.from({ length: 100 }, () => [gone, head]).flat();
    const storage = await open([started, ...pieces, breakOff, ...tries], 30);
    await expectReason(upload(storage), 'unreachable');
    expect(calls().at(-1)).toBe('DELETE /bucket/p/a/b?uploadId=id%2B1');
  });

  it('removes its pieces if a piece is refused', async () => {
    const refused: Answer = (request, response) =>
      (request.url.includes('partNumber=2') ? reply(403, error('AccessDenied')) : piece('x'))(request, response);
    const storage = await open([started, refused, refused, refused, reply(204)]);
    await expectReason(upload(storage), 'denied');
    expect(calls().at(-1)).toBe('DELETE /bucket/p/a/b?uploadId=id%2B1');
  });
});

it('signs each request, and sends no secret', async () => {
  const storage = await open([written()]);
  await storage.create("odd +=&%?#!'()*~é漢", BODY);
  const [request] = server.seen as [SeenRequest];
  expect(request.url).toBe('/bucket/p/odd%20%2B%3D%26%25%3F%23%21%27%28%29%2A~%C3%A9%E6%BC%A2');
  expect(request.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=key-of-the-test\/\d{8}\/us-east-1\/s3\/aws4_request, /,
  );
  expect(request.headers['x-amz-content-sha256']).toBe(createHash('sha256').update(BODY).digest('hex'));
  expect(request.headers['x-amz-security-token']).toBe('token-of-the-test');
  expect(JSON.stringify(request.headers)).not.toContain(SECRET);
});
