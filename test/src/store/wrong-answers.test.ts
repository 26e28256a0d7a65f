import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/store/errors.js';
import { Bucket } from '../../../src/store/s3/bucket.js';
import { S3Client } from '../../../src/store/s3/client.js';
import type { Storage } from '../../../src/store/storage.js';
import { FAULTS, mixedUp, OTHER_BODY, OTHER_KEY } from '../../helpers/bucket-faults.js';
import { startGateway, type Gateway } from '../../helpers/versitygw.js';
import { startWrongProxy, type Answered, type Asked, type Fault, type WrongProxy } from '../../helpers/wrong-proxy.js';
import { PIECE_BYTES } from './contract.js';

/*
 * A real service behind a gateway whose answers are wrong. Each operation must have its right result if a wrong answer
 * comes once. If all answers are wrong, it may fail, but has no wrong result.
 */

const PATIENCE = { forMs: 20_000, pauseMs: 1, longestMs: 5 };
const LARGE = randomBytes(PIECE_BYTES + 1_000);
const bytes = (text: string): Buffer => Buffer.from(text);
const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
const list = async (storage: Storage, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys;
};

interface Step {
  /** Through the gateway. */
  storage: Storage;
  /** Without the gateway. */
  direct: Storage;
  folder: string;
}
interface Operation {
  /** Prepares files without the gateway. */
  before?: (step: Step) => Promise<unknown>;
  work: (step: Step) => Promise<unknown>;
  /** Result of `work`. Undefined: only `after` decides. */
  result?: unknown;
  /** Returns what the service has after `work` succeeded. */
  after?: (step: Step) => Promise<unknown>;
  there?: unknown;
}

const local = (folder: string, body: Buffer): string => {
  const file = path.join(folder, `from-${body.length}`);
  writeFileSync(file, body);
  return file;
};
const contentOf = async ({ direct }: Step, key: string): Promise<string | undefined> =>
  (await direct.read(key))?.body.toString('latin1');

const OPERATIONS: Record<string, Operation> = {
  list: {
    before: async ({ direct }) => {
      for (const name of ['1', '2', '3']) await direct.create(`list/${name}`, bytes(name));
    },
    work: ({ storage }) => list(storage, 'list/'),
    result: ['list/1', 'list/2', 'list/3'],
  },
  read: {
    before: ({ direct }) => direct.create('a', bytes('{"part": "the content"}')),
    work: async ({ storage }) => (await storage.read('a'))?.body.toString(),
    result: '{"part": "the content"}',
  },
  'read of a missing file': { work: ({ storage }) => storage.read('missing'), result: undefined },
  'read of a removed file': {
    before: async ({ direct }) => {
      await direct.create('a', bytes('text'));
      await direct.remove('a');
    },
    work: ({ storage }) => storage.read('a'),
    result: undefined,
  },
  digest: {
    before: ({ direct }) => direct.create('a', bytes('0123456789')),
    work: async ({ storage }) => (await storage.digest('a')).sha256,
    result: sha256(bytes('0123456789')),
  },
  download: {
    before: ({ direct }) => direct.create('a', bytes('the content of a part')),
    work: async ({ storage, folder }) => {
      const to = path.join(folder, 'to');
      await storage.download('a', to, { bytes: 21, sha256: sha256(bytes('the content of a part')) });
      return readFileSync(to, 'utf8');
    },
    result: 'the content of a part',
  },
  'download without a known hash': {
    before: ({ direct }) => direct.create('a', bytes('the content of a part')),
    work: async ({ storage, folder }) => {
      const to = path.join(folder, 'to');
      await storage.download('a', to);
      return readFileSync(to, 'utf8');
    },
    result: 'the content of a part',
  },
  create: {
    work: async ({ storage, direct }) =>
      (await storage.create('a', bytes('one'))) === (await direct.read('a'))?.version,
    result: true,
    after: (step) => contentOf(step, 'a'),
    there: 'one',
  },
  'create of an existing file': {
    before: ({ direct }) => direct.create('a', bytes('of another writer')),
    work: async ({ storage }) => reasonOf(storage.create('a', bytes('one'))),
    result: 'exists',
    after: (step) => contentOf(step, 'a'),
    there: 'of another writer',
  },
  replace: {
    before: ({ direct }) => direct.create('a', bytes('one')),
    work: async ({ storage, direct }) => {
      const version = (await direct.read('a'))?.version ?? '';
      return (await storage.replace('a', bytes('two'), version)) === (await direct.read('a'))?.version;
    },
    result: true,
    after: (step) => contentOf(step, 'a'),
    there: 'two',
  },
  'replace of a changed file': {
    before: ({ direct }) => direct.create('a', bytes('of another writer')),
    work: async ({ storage }) => reasonOf(storage.replace('a', bytes('two'), 'f97c5d29941bfb1b2fdab0874906ab82')),
    result: 'changed',
    after: (step) => contentOf(step, 'a'),
    there: 'of another writer',
  },
  upload: {
    work: async ({ storage, folder }) => storage.upload('a', local(folder, bytes('the content of a part'))),
    result: { bytes: 21, sha256: sha256(bytes('the content of a part')) },
    after: (step) => contentOf(step, 'a'),
    there: 'the content of a part',
  },
  'upload in pieces': {
    work: async ({ storage, folder }) => storage.upload('large', local(folder, LARGE)),
    result: { bytes: LARGE.length, sha256: sha256(LARGE) },
    after: async ({ direct }) => sha256((await direct.read('large'))?.body ?? Buffer.alloc(0)),
    there: sha256(LARGE),
  },
  delete: {
    before: ({ direct }) => direct.create('a', bytes('one')),
    work: ({ storage }) => storage.remove('a'),
    result: undefined,
    after: ({ direct }) => list(direct, ''),
    there: [],
  },
};

/** The reason of a refusal that says who has won. Other errors are thrown. */
async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'succeeded';
  } catch (error) {
    if (error instanceof StorageError && ['exists', 'changed'].includes(error.reason)) return error.reason;
    throw error;
  }
}

describe('a bucket whose gateway answers wrongly', () => {
  let gateway: Gateway;
  let proxy: WrongProxy;
  let folder: string;
  let choose: (asked: Asked) => Fault | undefined = () => undefined;
  let prefixes = 0;
  let other: Answered;

  const openAt = (prefix: string, endpoint: string, forMs = PATIENCE.forMs): Bucket =>
    new Bucket(
      new S3Client({ bucket: gateway.bucket, prefix, endpoint }, gateway.env, { ...PATIENCE, forMs }),
      PIECE_BYTES,
    );

  beforeAll(async () => {
    gateway = await startGateway();
    proxy = await startWrongProxy(gateway.env.AWS_ENDPOINT_URL, (asked) => choose(asked));
    folder = mkdtempSync(path.join(tmpdir(), 'tidemark-wrong-'));
    other = await answerOfAnotherFile();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await proxy?.close();
    await gateway?.remove();
  });

  /** The whole answer to a GET of another file, as the service gives it. */
  async function answerOfAnotherFile(): Promise<Answered> {
    const storage = openAt('other', proxy.url);
    await storage.create(OTHER_KEY, OTHER_BODY);
    const answers: Answered[] = [];
    choose = () => ({
      answer(truth) {
        answers.push(truth);
        return truth;
      },
    });
    await storage.read(OTHER_KEY);
    choose = () => undefined;
    return answers[0] ?? { status: 0, headers: {}, body: Buffer.alloc(0) };
  }

  /** Runs an operation in an empty prefix. */
  async function run({ before, work, after }: Operation, fault: (n: number) => Fault | undefined, forMs?: number) {
    const prefix = `p${prefixes++}`;
    const step: Step = {
      storage: openAt(prefix, proxy.url, forMs),
      direct: openAt(prefix, gateway.env.AWS_ENDPOINT_URL),
      folder,
    };
    choose = () => undefined;
    await before?.(step);
    let requests = 0;
    choose = () => fault(++requests);
    try {
      const result = await work(step);
      return { result, there: await after?.(step) };
    } finally {
      choose = () => undefined;
      rmSync(path.join(folder, 'to'), { force: true });
    }
  }

  const names = [...Object.keys(FAULTS), ...Object.keys(mixedUp({ status: 0, headers: {}, body: Buffer.alloc(0) }))];
  const faultOf = (name: string): Fault => ({ ...FAULTS, ...mixedUp(other) } as Record<string, Fault>)[name] ?? {};

  it.each(names)('has right results after one wrong answer to any request: %s', async (name) => {
    for (const [operation, one] of Object.entries(OPERATIONS)) {
      if (UNCHECKED[name] === operation) continue;
      // The wrong answer comes to the first request, then to the second one: it may be a repetition.
      for (const wrong of [1, 2]) {
        const found = await run(one, (n) => (n === wrong ? faultOf(name) : undefined));
        expect({ operation, wrong, ...found }).toEqual({ operation, wrong, result: one.result, there: one.there });
      }
    }
    expect(readdirSync(folder).filter((file) => file.startsWith('.new-'))).toEqual([]);
  });

  it.each(names.filter((name) => !name.startsWith('a large')))(
    'has no wrong result if each answer is wrong: %s',
    async (name) => {
      for (const [operation, one] of Object.entries(OPERATIONS)) {
        if (UNCHECKED[name] === operation || BELIEVED[name]?.includes(operation) === true) continue;
        const found = await run(one, () => faultOf(name), 20).catch((error: unknown) => error as Error);
        if (found instanceof Error) {
          expect(found, `${operation}: ${String(found)}`).toBeInstanceOf(StorageError);
          expect(['unreachable', 'denied', 'damaged', 'missing'], operation).toContain((found as StorageError).reason);
        } else {
          expect({ operation, ...found }).toEqual({ operation, result: one.result, there: one.there });
        }
        expect(existsSync(path.join(folder, 'to')), operation).toBe(false);
      }
    },
  );
});

/**
 * What one operation cannot find out, and why it does no harm. Callers compare the hash of all ranges of a file. A removal
 * only frees space; `tidemark forget` searches the bucket afterwards.
 */
const UNCHECKED: Record<string, string> = { 'a changed byte': 'read of a range', 'status 204': 'delete' };
/**
 * What cannot be found out if each answer is wrong: a service that always says that there is no file, and a service whose
 * versions are not those that it compares.
 */
const BELIEVED: Record<string, string[]> = {
  'status 404 NoSuchKey': ['read', 'replace', 'create of an existing file', 'delete'],
  'another ETag': ['create', 'replace'],
};
