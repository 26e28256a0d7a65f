import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { cpuSeconds } from '../../bench/process-usage.js';
import { freePort } from '../../src/cli/terminal/ports.js';
import { publishTwoNights } from './explorer.js';
import { cleanEnv, ROOT, startProcess, type RunningProcess } from './processes.js';

/** Core of the flooded process and of the crawl. The flood comes from another one. */
const SHARED_CORE = '0';
const OTHER_CORE = '1';

/** What a crawl got beside a flooded process on the same core. */
export interface Flooded {
  /** Share of the crawl in the CPU time that both used, 0 to 1. */
  share: number;
  /** Requests per second of the crawl, without the flood and with it. */
  before: number;
  during: number;
  /** Requests per second that the flood sent. */
  flood: number;
}

/** A flooded process, and the arguments of test/helpers/flood-client.ts. */
export interface Victim {
  process: RunningProcess;
  flood: string[];
  stop(): Promise<void>;
}

export async function startExplorerVictim(): Promise<Victim> {
  const { env, remove } = await makeFolder();
  const process = await startProcess(['bin/tidemark.mjs', 'ui', '--port', String(await freePort(17_580))], {
    env,
    ready: /^Explorer +http/,
  });
  const address = /http:\S+/.exec(process.readyLine)?.[0] ?? '';
  const signIn = await fetch(address, { redirect: 'manual' });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    process,
    flood: ['explorer', new URL(address).port, cookie],
    stop: async () => (await process.stop(), remove()),
  };
}

export async function startReceiverVictim(): Promise<Victim> {
  const { env, remove } = await makeFolder();
  const port = String(await freePort(17_680));
  const process = await startProcess(['bin/tidemark.mjs', 'watch', 'listen', '--port', port], {
    env: { ...env, TIDEMARK_WEBHOOK_SECRET: 'a-secret-of-the-callback' },
    ready: /^Listening on/,
  });
  return { process, flood: ['receiver', port, ''], stop: async () => (await process.stop(), remove()) };
}

async function makeFolder(): Promise<{ env: NodeJS.ProcessEnv; remove: () => void }> {
  const dataDir = await publishTwoNights((id) => `Company ${id}`);
  const file = path.join(dataDir, 'tidemark.yaml');
  writeFileSync(file, stringify({ api: { baseUrl: 'http://127.0.0.1:1' }, data: '.', markets: [{ name: 'demo' }] }));
  return { env: cleanEnv({ TIDEMARK_CONFIG: file }), remove: () => execFileSync('rm', ['-rf', dataDir]) };
}

/** Lets a crawl that needs a whole core run beside a process, first without and then with a flood of requests. */
export async function measureFlood(victim: Victim, seconds: number): Promise<Flooded> {
  const crawl = startScript('flood-crawl.ts', [], SHARED_CORE);
  const pid = victim.process.child.pid ?? 0;
  execFileSync('taskset', ['-a', '-p', '-c', SHARED_CORE, String(pid)], { stdio: 'ignore' });
  try {
    await crawl.begun();
    const before = await rate(crawl, seconds);
    const flood = startScript('flood-client.ts', victim.flood, OTHER_CORE);
    try {
      await flood.begun();
      const [crawlCpu, victimCpu] = [cpuSeconds(crawl.pid), cpuOfFamily(pid)];
      const [during, sent] = await Promise.all([rate(crawl, seconds), rate(flood, seconds)]);
      const [ofCrawl, ofVictim] = [cpuSeconds(crawl.pid) - crawlCpu, cpuOfFamily(pid) - victimCpu];
      return { share: ofCrawl / (ofCrawl + ofVictim), before, during, flood: sent };
    } finally {
      flood.stop();
    }
  } finally {
    crawl.stop();
  }
}

interface Script {
  pid: number;
  /** Number that the script printed last. */
  count(): number;
  begun(): Promise<void>;
  stop(): void;
}

function startScript(name: string, args: string[], core: string): Script {
  const script = path.join(ROOT, 'test/helpers', name);
  // taskset replaces itself by node, so the id is that of node.
  const child: ChildProcess = spawn('taskset', ['-c', core, process.execPath, '--import', 'tsx', script, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = { count: 0 };
  child.stdout?.on('data', (data: Buffer) => {
    printed.count = Number(data.toString().trim().split('\n').at(-1));
  });
  const begun = async (): Promise<void> => {
    while (printed.count === 0) {
      if (child.exitCode !== null) throw new Error(`${name} ended`);
      await pause(50);
    }
  };
  return { pid: child.pid ?? 0, count: () => printed.count, begun, stop: () => void child.kill('SIGKILL') };
}

async function rate(script: Script, seconds: number): Promise<number> {
  const [count, at] = [script.count(), performance.now()];
  await pause(seconds * 1_000);
  return ((script.count() - count) * 1_000) / (performance.now() - at);
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** CPU seconds of a process and its children. */
function cpuOfFamily(pid: number): number {
  const children = readdirSync('/proc').filter((id) => /^\d+$/.test(id) && parentOf(id) === pid);
  return [pid, ...children.map(Number)].reduce((sum, id) => sum + (cpuOf(id) ?? 0), 0);
}

function cpuOf(pid: number): number | null {
  try {
    return cpuSeconds(pid);
  } catch {
    return null;
  }
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
