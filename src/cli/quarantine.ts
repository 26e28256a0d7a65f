import type { Command } from 'commander';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import { RECORD_STREAMS } from '../../schemas/streams/landing-streams.js';
import { formatCount } from '../../schemas/format.js';
import type { LandedPart } from '../landing/index.js';
import { TidemarkError } from '../base/errors.js';
import { examples, loadContext } from './context.js';
import { say, sayJson } from './terminal/print.js';
import { showPath } from './terminal/show-path.js';
import type { Data } from '../store/data.js';

/** A part that was moved, and why. `rows`: null if nobody can read how many it had. */
interface Moved extends Pick<LandedPart, 'file' | 'stream' | 'run' | 'date'> {
  rows: number | null;
  fault: string;
}

// Lists of which the API shows only the present state.
const LISTS: ReadonlySet<string> = new Set(['prospecting', 'tenders', 'watched_companies']);

/** `tidemark quarantine`: moves damaged landed parts out of the way. Deletes nothing. */
export function registerQuarantine(program: Command): void {
  program
    .command('quarantine')
    .summary('move damaged landed parts out of the way')
    .description('check all landed parts, move damaged ones out of the way, and say what is lost; nothing is deleted')
    .option('--run <run>', 'also move all sound parts of this run, for example after a wrong clock')
    .option('--return', 'move parts back whose files are sound again')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Nights fail while a part that is not loaded yet is damaged. After this command,
they go on. To return a part, restore its file from a backup to its old place.
${examples('tidemark quarantine', 'tidemark quarantine --return')}`,
    )
    .action(async (options: { run?: string; return?: boolean; json?: boolean }, command: Command) => {
      const { data } = await loadContext(command);
      const { whileNobodyReplays } = await import('../warehouse/duckdb/locks.js');
      const moved = await whileNobodyReplays(data.dataDir, 'tidemark quarantine', async () =>
        options.return === true ? bringBack(data) : moveAway(data, options.run),
      );
      if (options.json)
        return sayJson(
          moved.map(({ file, stream, run, date, rows, fault }) => ({ file, stream, run, date, rows, fault })),
        );
      for (const line of describe(moved, options.return === true)) say(line);
    });
}

async function moveAway(data: Data, run: string | undefined): Promise<Moved[]> {
  const { dataDir } = data;
  if (run === WEBHOOK_RUN)
    throw new TidemarkError('InvalidInput', `The deliveries of webhooks have no run: ${run}.`, {
      todo: 'Leave out --run. Nobody sends these deliveries again.',
    });
  const [landing, { findPartFault }] = await Promise.all([
    import('../landing/index.js'),
    import('../warehouse/load/part-check.js'),
  ]);
  await landing.pullManifests(data);
  const damaged: string[] = [];
  const parts = landing.readManifests(dataDir, {}, (_, manifest) => damaged.push(manifest));
  if (run !== undefined && parts.every((part) => part.run !== run))
    throw new TidemarkError('InvalidInput', `No landed part belongs to the run ${run}.`, {
      todo: '`tidemark doctor` and `ops.runs` name runs.',
    });
  await landing.pullParts(data, parts, { skipFaulty: true });
  const moved: Moved[] = [];
  for (const manifest of damaged) {
    const lost = await landing.readLostManifest(data, manifest);
    await landing.quarantineManifest(data, lost);
    moved.push({ ...lost, file: lost.files[0] ?? manifest, fault: `${manifest} is no manifest` });
  }
  for (const part of parts) {
    const fault =
      (await findPartFault(part)) ?? (part.run === run ? `${part.file} belongs to the run ${run}` : undefined);
    if (fault === undefined) continue;
    await landing.quarantinePart(data, part);
    moved.push({ ...part, fault });
  }
  return moved;
}

async function bringBack(data: Data): Promise<Moved[]> {
  const { returnParts } = await import('../maintenance/return-parts.js');
  return (await returnParts(data)).map((part) => ({ ...part, fault: 'sound again' }));
}

function describe(moved: readonly Moved[], returned: boolean): string[] {
  const [first] = moved;
  if (first === undefined)
    return [returned ? 'No part in quarantine has a sound file.' : '✔ No landed part is damaged or missing.'];
  const all = `${formatCount(moved.length)} part${moved.length === 1 ? '' : 's'}`;
  if (returned) return [`✔ ${all} returned. The next run loads them.`];
  return [
    `✔ ${all} moved, each into the folder _quarantine of its run, such as ${showPath(first.file)}`,
    ...lossOf(moved).map((line) => `  ${line}`),
    '  What the warehouse has loaded of these parts stays there, until a `tidemark replay`.',
    '  To return them: restore their files from a backup, then `tidemark quarantine --return`.',
  ];
}

/** Says what is lost with the parts, one sentence for each kind. */
function lossOf(moved: readonly Moved[]): string[] {
  const isDelivery = ({ run }: Moved): boolean => run === WEBHOOK_RUN;
  const isRecord = ({ stream }: Moved): boolean => RECORD_STREAMS.has(stream);
  const isList = ({ stream }: Moved): boolean => LISTS.has(stream);
  const kinds: [(part: Moved) => boolean, string][] = [
    [
      isDelivery,
      'webhook deliveries: nobody sends them again. `tidemark backfill` fetches events that the API still lists.',
    ],
    [isList, 'answers to searches and lists: the API does not show a past day again.'],
    [isRecord, 'records about runs: these runs lack them in the tables `ops`.'],
    [
      (part) => !isDelivery(part) && !isList(part) && !isRecord(part),
      'other answers: the next runs fetch these records again.',
    ],
  ];
  return kinds.flatMap(([isKind, what]) => {
    const parts = moved.filter(isKind);
    if (parts.length === 0) return [];
    if (parts.some(({ rows }) => rows === null)) return [`an unknown number of ${what}`];
    return [`${formatCount(parts.reduce((sum, { rows }) => sum + (rows ?? 0), 0))} ${what}`];
  });
}
