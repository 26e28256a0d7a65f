import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Step } from './phases.js';

/** A CPU profile as Node writes it (`--cpu-prof`). Times are microseconds of the monotonic clock. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/**
 * The steps of a response. The first step whose pattern matches a function of the call stack gets the sample. Patterns
 * match the path and the name of a function; the search starts at the innermost function.
 */
const STEPS: readonly [step: string, pattern: RegExp][] = [
  ['part write', /\/landing\/parquet|hyparquet|fzstd|writePart|placePart|writeFileOnce/],
  ['request log, heartbeat', /\/landing\/(request-log|latency)|\/activities\/heartbeat/],
  ['spool write', /\/landing\/|\/privacy\/|appendFile/],
  ['redact the key', /\/text\/redact/],
  ['check, decode', /\/api\/(?!transport|request|pacer|concurrency|routes|client)|\/schemas\/|\/zod\//],
  ['request', /\/undici\/|\/api\/|\/network\/|node:(_?http|net|_?tls|internal\/(stream|net|dns|timers))|\/stamp-clock/],
  ['Temporal', /@temporalio|protobufjs|\/workflows\/|\/temporal\//],
  ['crawl loop', /\/crawl\//],
  ['garbage collection', /\(garbage collector\)/],
];

/** Adds up the microseconds of each step while the given activities ran, in the profile of the main thread. */
export function readStepTimes(folder: string, during: readonly Step[]): Map<string, number> {
  const profile = readMainProfile(folder);
  const stepOf = stepsOfNodes(profile);
  // Node's monotonic clock, which the profile uses, at 1970.
  const offset = Date.now() * 1_000 - Number(process.hrtime.bigint() / 1_000n);
  const times = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, node] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    at += delta;
    const wall = (at + offset) / 1_000;
    const step = stepOf.get(node) ?? 'rest';
    if (step === 'idle' || !during.some(({ from, to }) => from <= wall && wall < to)) continue;
    times.set(step, (times.get(step) ?? 0) + delta);
  }
  return times;
}

/** The folder has one profile of each thread. The main thread's one has the most samples outside of idle time. */
function readMainProfile(folder: string): CpuProfile {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as CpuProfile);
  const isMain = ({ nodes }: CpuProfile): boolean => nodes.some(({ callFrame }) => /chunk-attempt/.test(callFrame.url));
  const main = profiles.find(isMain);
  if (main === undefined) throw new Error(`no profile of the main thread in ${folder}`);
  return main;
}

function stepsOfNodes({ nodes }: CpuProfile): Map<number, string> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stepOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { functionName, url } = byId.get(at)!.callFrame;
      if (functionName === '(idle)') return 'idle';
      const found = STEPS.find(([, pattern]) => pattern.test(`${url} ${functionName}`));
      if (found !== undefined) return found[0];
    }
    return 'rest';
  };
  return new Map(nodes.map(({ id }) => [id, stepOf(id)]));
}
