import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a service lacks. Without any of these, it has all that Tidemark needs of small files. */
export interface Lacks {
  /** Conditional header that it ignores. */
  ignores?: 'if-match' | 'if-none-match';
  /** Method that it refuses with 403. `LIST` is the GET of a list. */
  refuses?: 'LIST' | 'GET' | 'PUT' | 'DELETE';
  /** Whether it checks a condition some time before it writes, so that several writers succeed. */
  races?: boolean;
  /** Whether a list shows no new files. */
  listsLate?: boolean;
  /** Whether files that were removed can still be read. */
  keepsRemoved?: boolean;
  /** Seconds by which its clock is ahead; null: it does not say its time. */
  ahead?: number | null;
}

/** A small bucket in memory that lacks something. Checks no signatures. */
export interface LackingBucket {
  url: string;
  /** Keys of the files that it has. */
  keys(): string[];
  close(): Promise<void>;
}

/** A file, with the headers of its metadata. */
interface File {
  body: Buffer;
  metadata: Record<string, string>;
}

/** Starts a service whose bucket is `bucket`. */
export async function startLackingBucket(lacks: Lacks = {}): Promise<LackingBucket> {
  const files = new Map<string, File>();
  const server = createServer((request, response) => {
    response.sendDate = false;
    if (lacks.ahead !== null)
      response.setHeader('date', new Date(Date.now() + (lacks.ahead ?? 0) * 1_000).toUTCString());
    void readAll(request).then((body) => answer(files, lacks, { request, body }, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: () => [...files.keys()],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(
  files: Map<string, File>,
  lacks: Lacks,
  { request, body }: { request: IncomingMessage; body: Buffer },
  response: ServerResponse,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const key = decodeURIComponent(pathname.replace('/bucket/', ''));
  const isList = searchParams.has('list-type');
  const method = isList ? 'LIST' : (request.method ?? '');
  const found = files.get(key);
  if (lacks.refuses === method) return end(response, 403, error('AccessDenied'));
  if (method === 'LIST')
    return end(response, 200, list(searchParams.get('prefix') ?? '', lacks.listsLate ? [] : files));
  if (method === 'PUT') {
    const condition = (name: 'if-match' | 'if-none-match') =>
      lacks.ignores === name ? undefined : request.headers[name];
    const expected = condition('if-match');
    if (condition('if-none-match') === '*' && found !== undefined)
      return end(response, 412, error('PreconditionFailed'));
    if (expected !== undefined && (found === undefined || expected !== tagOf(found.body)))
      return end(response, 412, error('PreconditionFailed'));
    const write = (): void => {
      files.set(key, { body, metadata: metadataOf(request) });
      end(response, 200, '', { etag: tagOf(body) });
    };
    return lacks.races ? void setTimeout(write, 100) : write();
  }
  if (method === 'DELETE') {
    if (!lacks.keepsRemoved) files.delete(key);
    return end(response, 204, '');
  }
  if (found === undefined) return end(response, 404, error('NoSuchKey'));
  end(response, 200, found.body, { ...found.metadata, etag: tagOf(found.body) });
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function end(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers).end(body);
}

function tagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

function error(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
}

function metadataOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('x-amz-meta-') ? [[name, String(value)]] : [])),
  );
}

function list(prefix: string, files: Iterable<[string, File]>): string {
  const contents = [...files]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, { body }]) => `<Contents><Key>${key}</Key><Size>${body.length}</Size></Contents>`);
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
}
