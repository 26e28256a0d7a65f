import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { fetchGo, goPlatform, GO_VERSION } from '../../bootstrap/go-toolchain.mjs';
import { buildTemporalWithFetchedGo } from '../../bootstrap/temporal-build.mjs';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';
import { makeZip } from './archives.js';
import { tempFolder } from './helpers.js';

const VERSION = `v0.0.1-go${GO_VERSION}.${goPlatform()}`;
const NAME = `/golang.org/toolchain/@v/${VERSION}.zip`;
const PREFIX = `golang.org/toolchain@${VERSION}/`;

/** A program that builds as Go does: it writes a Temporal CLI to GOBIN. */
const GO = `#!/bin/sh
[ "$1" = version ] && exit 0
echo "$GOFLAGS $GOTOOLCHAIN $GOPATH $GOMODCACHE $GOCACHE" > "$GOBIN/environment"
printf '#!/bin/sh\\necho "temporal version 1.5.1"\\n' > "$GOBIN/temporal"
`;
const FILES = { 'bin/go': GO, 'pkg/tool/compile': 'x', 'src/_go.mod': 'module std', LICENSE: 'text' };
const named = Object.fromEntries(Object.entries(FILES).map(([name, text]) => [PREFIX + name, text]));
const good = makeZip(named);
const checksum = checksumOf(named);

function checksumOf(files: Record<string, string>): string {
  const sha = (text: string) => createHash('sha256').update(text);
  const lines = Object.entries(files).map(([name, text]) => `${name}\0${sha(text).digest('hex')}`);
  const list = lines.toSorted().map((line) => line.split('\0').toReversed().join('  '));
  return `h1:${sha(`${list.join('\n')}\n`).digest('base64')}`;
}

/** Starts a module proxy that gives every request the same answer. */
async function startProxy(status: number, body: Buffer | string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(({ url, headers }, response) => {
    requests.push([url, headers.authorization].filter((part) => part !== undefined).join(' '));
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const quiet = { log: () => undefined, checksum };

async function fetchFrom(GOPROXY: string, options = {}): Promise<string> {
  const folder = path.join(tempFolder(), 'go');
  return fetchGo(folder, { ...quiet, env: { GOPROXY, GOENV: '/none' }, ...options });
}

it('unpacks Go from the module proxy as the go command does', async () => {
  const { url, requests } = await startProxy(200, good);
  const go = await fetchFrom(`${url}/`);
  const root = path.dirname(path.dirname(go));
  expect(requests).toEqual([NAME]);
  expect(readFileSync(go, 'utf8')).toBe(GO);
  expect(readFileSync(path.join(root, 'src', 'go.mod'), 'utf8')).toBe('module std');
  const isProgram = (name: string): boolean => (statSync(path.join(root, name)).mode & 0o100) !== 0;
  expect(['bin/go', 'pkg/tool/compile', 'LICENSE'].map(isProgram)).toEqual([true, true, false]);
  expect(existsSync(`${root}.zip`)).toBe(false);
});

it('asks the next proxy of a list after 404 and 410, and after any error before a |', async () => {
  const [missing, gone, broken, right] = await Promise.all([
    startProxy(404, ''),
    startProxy(410, ''),
    startProxy(500, ''),
    startProxy(200, good),
  ]);
  await fetchFrom(`${missing.url},${gone.url},${broken.url}|${right.url},direct`);
  expect([missing, gone, broken, right].map(({ requests }) => requests.length)).toEqual([1, 1, 1, 1]);
  await expect(fetchFrom(`${broken.url},${right.url}`)).rejects.toThrow('answered 500');
  await expect(fetchFrom(`${missing.url},direct,${right.url}`)).rejects.toThrow('answered 404');
  expect(right.requests).toHaveLength(1);
});

it('reads GOPROXY of the configuration file of Go, and a proxy in a folder', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'proxy', NAME);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, good);
  const GOENV = path.join(folder, 'env');
  writeFileSync(
    GOENV,
    `GOFLAGS=-v\nGOPROXY=${pathToFileURL(path.join(folder, 'other')).href},${pathToFileURL(path.join(folder, 'proxy')).href}\n`,
  );
  expect(readFileSync(await fetchFrom('', { env: { GOENV } }), 'utf8')).toBe(GO);
});

it('sends the password of a proxy, and never shows it', async () => {
  const { url, requests } = await startProxy(403, '');
  const failure = fetchFrom(url.replace('//', '//joe:s%40cret@'));
  await expect(failure).rejects.toThrow('answered 403');
  await expect(failure).rejects.not.toThrow('cret');
  expect(requests).toEqual([`${NAME} Basic ${Buffer.from('joe:s@cret').toString('base64')}`]);
});

it.each([
  ['', 'GOPROXY is not set'],
  ['direct', 'names no Go module proxy'],
  ['off', 'names no Go module proxy'],
])('says what to do if GOPROXY is "%s"', async (list, reason) => {
  await expect(fetchFrom(list)).rejects.toThrow(reason);
});

const other = { ...named, [`${PREFIX}LICENSE`]: 'other text' };
const outside = { ...named, [`${PREFIX}../outside`]: 'x' };
it.each([
  ['with another checksum', makeZip(other), checksum, `checksum ${checksumOf(other)} instead of ${checksum}`],
  ['that is cut off', good.subarray(0, good.length - 30), checksum, 'cut off'],
  ['that is a page', Buffer.from('<html>Sign in</html>'), checksum, 'cut off'],
  ['with a file of another module', makeZip(outside), checksumOf(outside), 'file of another module'],
])('never unpacks a module %s', async (_name, body, expected, reason) => {
  const { url } = await startProxy(200, body);
  const folder = path.join(tempFolder(), 'go');
  const failure = fetchGo(folder, { ...quiet, env: { GOPROXY: url }, checksum: expected });
  await expect(failure).rejects.toThrow(reason);
  expect(existsSync(path.join(folder, '..', 'outside'))).toBe(false);
});

it.skipIf(process.platform === 'win32')('builds Temporal with its own caches, which stay in its folder', async () => {
  const { url } = await startProxy(200, good);
  const folder = tempFolder();
  const said: string[] = [];
  const env = { GOPROXY: url, GOFLAGS: '-mod=vendor', PATH: process.env['PATH'] };
  const program = await buildTemporalWithFetchedGo(folder, { log: (line) => said.push(line), env, checksum });
  expect(program).toBe(path.join(folder, 'temporal'));
  expect(said[0]).toMatch(/usually takes .* minutes.*TEMPORAL_CLI_PATH/);
  const own = ['gopath', 'modules', 'cache'].map((name) => path.join(folder, name));
  expect(readFileSync(path.join(folder, 'environment'), 'utf8').trim()).toBe(
    ['-modcacherw', 'local', ...own].join(' '),
  );
});

it('leaves nothing in the cache when every way fails, and names the reason of each', async () => {
  const download = await startProxy(503, '');
  const proxy = await startProxy(200, good);
  const cache = path.join(tempFolder(), 'cache');
  const env = {
    PATH: '',
    TIDEMARK_CACHE_DIR: cache,
    TIDEMARK_TEMPORAL_DOWNLOAD_URL: download.url,
    GOPROXY: proxy.url,
  };
  const failure = ensureTemporalCli({ log: () => undefined, go: 'no-such-go', env });
  await expect(failure).rejects.toThrow(
    /answered 503[\s\S]*Go is not installed[\s\S]*GOPROXY: the module of Go has the/,
  );
  expect(readdirSync(cache)).toEqual([]);
});
