import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cacheFolder } from '../../bootstrap/cache.mjs';
import { downloadTemporal, downloadUrl } from '../../bootstrap/temporal-download.mjs';
import { cachedName, ensureTemporalCli } from '../../bootstrap/temporal.mjs';
import { makeTarGz, makeZip } from './archives.js';
import { bootstrapModule, runScript, tempFolder } from './helpers.js';

/** A program that answers as the Temporal CLI does. */
const program = (version: string): string =>
  `#!/bin/sh\necho "temporal version ${version} (Server 1.29.1, UI 2.42.1)"\n`;
const goodArchive = makeTarGz({ LICENSE: 'text', temporal: program('1.5.1') });

/** Starts a local download host that gives every request the same answer. */
async function startHost(answer: (response: ServerResponse) => void): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`, requests };
}

interface Place {
  cache: string;
  env: NodeJS.ProcessEnv;
}

function makePlace(url: string): Place {
  const cache = path.join(tempFolder(), 'cache');
  return { cache, env: { PATH: '', TIDEMARK_CACHE_DIR: cache, TIDEMARK_TEMPORAL_DOWNLOAD_URL: url } };
}

function writeProgram(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

const quiet = { log: () => undefined, go: 'no-such-go' };

// The stand-ins for the CLI and for Go are shell scripts.
describe.skipIf(process.platform === 'win32')('ensureTemporalCli', () => {
  it('uses the CLI at TEMPORAL_CLI_PATH and rejects another program there', async () => {
    const file = writeProgram(path.join(tempFolder(), 'my-temporal'), program('1.9.9'));
    const cli = await ensureTemporalCli({ ...quiet, env: { TEMPORAL_CLI_PATH: file } });
    expect(cli).toEqual({ path: file, version: '1.9.9', source: 'TEMPORAL_CLI_PATH' });
    const other = writeProgram(path.join(tempFolder(), 'other'), '#!/bin/sh\necho hello\n');
    await expect(ensureTemporalCli({ ...quiet, env: { TEMPORAL_CLI_PATH: other } })).rejects.toThrow(
      /TEMPORAL_CLI_PATH is .*hello/,
    );
    await expect(ensureTemporalCli({ ...quiet, env: { TEMPORAL_CLI_PATH: '/no/such' } })).rejects.toThrow(
      'TEMPORAL_CLI_PATH',
    );
  });

  it('uses a working Temporal CLI from PATH, else downloads one', async () => {
    const { url, requests } = await startHost((response) => response.end(goodArchive));
    const { env } = makePlace(url);
    const folder = tempFolder();
    const file = writeProgram(path.join(folder, 'temporal'), program('1.5.0'));
    expect(await ensureTemporalCli({ ...quiet, env: { ...env, PATH: `/no/such:${folder}` } })).toEqual({
      path: file,
      version: '1.5.0',
      source: 'PATH',
    });
    expect(requests).toEqual([]);
    writeProgram(file, '#!/bin/sh\nexit 1\n');
    expect((await ensureTemporalCli({ ...quiet, env: { ...env, PATH: folder } })).source).toBe('download');
  });

  it.each([
    ['.tar.gz', goodArchive],
    ['.zip', makeZip({ LICENSE: 'text', temporal: program('1.5.1') })],
  ])('downloads the Temporal CLI as %s once, then uses the cache', async (_kind, archive) => {
    const { url, requests } = await startHost((response) => response.end(archive));
    const { cache, env } = makePlace(url);
    const target = path.join(cache, cachedName());
    expect(await ensureTemporalCli({ ...quiet, env })).toEqual({ path: target, version: '1.5.1', source: 'download' });
    expect(await ensureTemporalCli({ ...quiet, env })).toEqual({ path: target, version: '1.5.1', source: 'cache' });
    expect(requests).toEqual([expect.stringMatching(/^\/archive\/v1\.5\.1\?platform=\w+&arch=\w+$/)]);
    expect(readdirSync(cache)).toEqual([cachedName()]);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['a refusal', (r) => r.writeHead(404).end('no'), /answered 404/],
    ['a page instead of an archive', (r) => r.end('<html>Sign in</html>'), /neither a \.tar\.gz nor a \.zip/],
    [
      'a connection that breaks',
      (r) => {
        r.writeHead(200, { 'content-length': goodArchive.length });
        r.write(goodArchive.subarray(0, goodArchive.length / 2), () => r.destroy());
      },
      /archive\/v1\.5\.1/,
    ],
    [
      'an archive cut off at the host',
      (r) => r.end(goodArchive.subarray(0, goodArchive.length - 20)),
      /unexpected end|cut off/,
    ],
    ['an archive without the program', (r) => r.end(makeTarGz({ LICENSE: 'x' })), /no file named temporal/],
    ['another version', (r) => r.end(makeTarGz({ temporal: program('1.4.0') })), /version 1\.4\.0, not 1\.5\.1/],
    [
      'a program that does not run',
      (r) => r.end(makeTarGz({ temporal: '#!/bin/sh\nexit 3\n' })),
      /the downloaded Temporal CLI does not start/,
    ],
    [
      'another platform’s program',
      (r) => r.end(makeTarGz({ temporal: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]) })),
      /the downloaded Temporal CLI does not start/,
    ],
  ])('never uses a broken Temporal download: %s', async (_name, answer, reason) => {
    const { url } = await startHost(answer);
    const { cache, env } = makePlace(url);
    const failure = await ensureTemporalCli({ ...quiet, env }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(reason);
    for (const way of ['TEMPORAL_CLI_PATH', 'PATH', cache, 'download', 'go install', 'TEMPORAL_ADDRESS'])
      expect(failure).toContain(way);
    expect(readdirSync(cache)).toEqual([]);
  });

  it('builds with Go if the download fails, and discards failed builds', async () => {
    const { url } = await startHost((response) => response.writeHead(503).end());
    const { cache, env } = makePlace(url);
    const folder = tempFolder();
    const goThat = (end: string): string =>
      writeProgram(
        path.join(folder, 'go'),
        `#!/bin/sh\n[ "$1" = version ] && exit 0\necho "go: downloading x v1" >&2\nprintf '${program('1.5.1').replaceAll('\n', '\\n')}' > "$GOBIN/temporal"\n${end}\n`,
      );
    await expect(ensureTemporalCli({ ...quiet, env, go: goThat('echo "out of disk" >&2; exit 1') })).rejects.toThrow(
      'out of disk',
    );
    expect(readdirSync(cache)).toEqual([]);

    const said: string[] = [];
    const cli = await ensureTemporalCli({ env, go: goThat('exit 0'), log: (line) => said.push(line) });
    expect(cli).toEqual({ path: path.join(cache, cachedName()), version: '1.5.1', source: 'go' });
    expect(said.join('\n')).toMatch(/answered 503.*\n.*Building/);
  });

  it('downloads once for two processes; the second says that it waits', async () => {
    const waiting: ServerResponse[] = [];
    const { url, requests } = await startHost((response) => waiting.push(response));
    const { cache, env } = makePlace(url);
    const script = `
      import { ensureTemporalCli } from ${JSON.stringify(bootstrapModule('temporal.mjs'))};
      const cli = await ensureTemporalCli({ log: (line) => console.log(line), go: 'no-such-go' });
      console.log('source ' + cli.source);
    `;
    const runs = [runScript(script, env), runScript(script, env)] as const;
    await Promise.race(runs.map((run) => run.says('waiting')));
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.end(goodArchive);
    const outputs = (await Promise.all(runs.map((run) => run.ended))).map((end) => end.output);
    const sources = outputs.map((output) => /source (\w+)/.exec(output)?.[1]);
    expect(new Set(sources)).toEqual(new Set(['cache', 'download']));
    expect(requests).toHaveLength(1);
    expect(readdirSync(cache)).toEqual([cachedName()]);
  });

  it('completes the download of a killed process and removes its remains', async () => {
    let first = true;
    const { url, requests } = await startHost((response) => {
      if (!first) return void response.end(goodArchive);
      first = false;
      response.writeHead(200, { 'content-length': goodArchive.length });
      response.write(goodArchive.subarray(0, 100));
    });
    const { cache, env } = makePlace(url);
    const victim = runScript(
      `import { ensureTemporalCli } from ${JSON.stringify(bootstrapModule('temporal.mjs'))}; await ensureTemporalCli();`,
      env,
    );
    await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(1);
    victim.child.kill('SIGKILL');
    await victim.ended;
    expect(readdirSync(cache)).not.toContain(cachedName());
    expect(readdirSync(cache).length).toBeGreaterThan(0);

    expect((await ensureTemporalCli({ ...quiet, env })).source).toBe('download');
    expect(readdirSync(cache)).toEqual([cachedName()]);
  });
});

it('aborts a stalled download of the Temporal CLI', async () => {
  const { url } = await startHost((response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('some');
  });
  const download = downloadTemporal(tempFolder(), { ...makePlace(url), log: () => undefined, stallMs: 300 });
  await expect(download).rejects.toThrow('no data received for 0.3 s');
});

describe('downloadUrl', () => {
  it.each([
    ['linux', 'x64', 'platform=linux&arch=amd64'],
    ['darwin', 'arm64', 'platform=darwin&arch=arm64'],
    ['win32', 'x64', 'platform=windows&arch=amd64'],
  ])('asks the download host for %s/%s by its own names', (platform, arch, query) => {
    expect(downloadUrl('https://host.example/archive/', platform, arch)).toBe(
      `https://host.example/archive/v1.5.1?${query}`,
    );
  });
});

describe('cacheFolder', () => {
  it.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
    ['linux', { HOME: '/h' }, '/h/.cache/tidemark'],
    ['linux', { HOME: '/h', XDG_CACHE_HOME: '/x' }, '/x/tidemark'],
    ['darwin', { HOME: '/h' }, '/h/Library/Caches/tidemark'],
    ['win32', { USERPROFILE: '/h', LOCALAPPDATA: '/l' }, '/l/tidemark'],
    ['linux', { HOME: '/h', TIDEMARK_CACHE_DIR: '/c' }, '/c'],
  ])('puts the cache where %s keeps caches: %o', (platform, env, expected) => {
    expect(cacheFolder(env, platform)).toBe(path.resolve(expected));
    expect(existsSync(expected)).toBe(false);
  });
});
