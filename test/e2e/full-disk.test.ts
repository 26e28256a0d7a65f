import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv, compiled, startSandbox, type RunningSandbox } from '../helpers/processes.js';
import { waitUntil } from '../helpers/sandbox.js';
import { emptyFolder } from '../helpers/run-cli.js';
import { startTemporal } from '../helpers/temporal.js';

// A user namespace in which this process may mount a small disk.
const IN_NAMESPACE = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'] as const;
const [UNSHARE, ...FLAGS] = IN_NAMESPACE;
const mayMount = spawnSync(UNSHARE, [...FLAGS, 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt']).status === 0;

const COMPANIES = 200;

/** A shell in the namespace, which runs one command after the other. */
class Shell {
  readonly #child: ChildProcess;
  #output = '';
  #count = 0;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(UNSHARE, [...FLAGS, 'bash'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** Runs a command. Returns its exit code and what it wrote to both streams. */
  async run(command: string): Promise<{ code: number; output: string }> {
    const from = this.#output.length;
    const mark = `@@${++this.#count}:`;
    this.#child.stdin?.write(`${command} 2>&1 < /dev/null; echo "${mark}$?@@"\n`);
    const end = new RegExp(`${mark}(\\d+)@@`);
    await waitUntil(`${command} ends`, () => Promise.resolve(end.test(this.#output)));
    const [whole = ''] = end.exec(this.#output) ?? [];
    const output = this.#output.slice(from, this.#output.indexOf(whole));
    return { code: Number(end.exec(whole)?.[1]), output };
  }

  /** Ends the shell and all its processes. */
  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

describe.skipIf(!mayMount)('a full disk (needs a kernel that lets users mount a tmpfs)', () => {
  let folder: ReturnType<typeof emptyFolder>;
  let sandbox: RunningSandbox;
  let temporal: Awaited<ReturnType<typeof startTemporal>>;
  let shell: Shell;

  const tidemark = (args: string): string =>
    [process.execPath, ...compiled(['bin/tidemark.mjs'])].map((word) => `'${word}'`).join(' ') + ` ${args}`;

  beforeAll(async () => {
    folder = emptyFolder();
    [sandbox, temporal] = await Promise.all([startSandbox({ companies: COMPANIES, tenders: 0 }), startTemporal()]);
    writeFileSync(
      path.join(folder.dir, 'tidemark.yaml'),
      `api: { baseUrl: '${sandbox.url}' }\nmarkets: [{ name: demo, streams: [companies] }]\n`,
    );
    mkdirSync(path.join(folder.dir, 'data'));
    const env = cleanEnv({ TIDEMARK_API_KEY: sandbox.key, TEMPORAL_ADDRESS: temporal.address });
    shell = new Shell(folder.dir, env);
    const mounted = await shell.run('mount -t tmpfs -o size=3m tmpfs data && chmod 700 data');
    if (mounted.code !== 0) throw new Error(`mount failed: ${mounted.output}`);
    await shell.run(`(${tidemark('worker')} > worker.log 2>&1 &)`);
    await waitUntil('the worker is ready', async () =>
      /ready|running/i.test((await shell.run('cat worker.log')).output),
    );
  });

  afterAll(async () => {
    shell?.stop();
    await temporal?.teardown();
    await sandbox?.stop();
    folder?.remove();
  });

  it('names the file, the cause and the remedy while the run waits', async () => {
    await shell.run(tidemark('snapshot --no-wait'));
    let said = '';
    await waitUntil('the status names the full disk', async () => {
      said = (await shell.run(tidemark('status'))).output;
      return /no space left|disk is full|not enough space/i.test(said);
    }).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${said}\n${(await shell.run('tail -c 3000 worker.log; df data')).output}`);
    });
    const text = said.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/Temporal retries: /);
    expect(text).toMatch(/Free space on that disk/);
    expect((await shell.run(tidemark('doctor'))).output).toMatch(/! disk .*MiB free|! disk .*B free/);
  });

  it('finishes the same run after the disk has space again', async () => {
    expect(await shell.run('mount -o remount,size=400m data')).toMatchObject({ code: 0 });
    const { code, output } = await shell.run(tidemark('snapshot'));
    expect(output).toMatch(/complete/);
    expect(code).toBe(0);
    const counted = await shell.run(tidemark('sql --format json "SELECT count(*)::INTEGER AS n FROM core.companies"'));
    expect(JSON.parse(counted.output)).toEqual([{ n: COMPANIES }]);
  });
});
