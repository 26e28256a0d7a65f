import type { Command } from 'commander';
import { formatBytes, formatCount } from '../../../schemas/format.js';
import type { CopyResult } from '../../maintenance/copy/copy-data.js';
import { examples } from '../context.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { FAILED } from '../terminal/print-error.js';

/** Number of paths that are shown; `--json` prints all. */
const SHOWN = 20;

interface Options {
  check?: boolean;
  abandonRuns?: boolean;
  json?: boolean;
}

/** `tidemark data copy`: copies the data to another place, and compares both. */
export function registerCopy(data: Command): void {
  data
    .command('copy <from> <to>')
    .summary('copy the data to another folder or bucket, and compare')
    .description(
      'copy the data to another folder, or between a folder and a bucket (s3://…); read each file at the target and compare the hashes',
    )
    .option('--check', 'copy nothing; only compare both places')
    .option('--abandon-runs', 'copy although runs have no end, because their Temporal server is lost')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Copied: the landing zone, deliveries that are not landed yet, records of runs,
state of searches and enrichment jobs, lists, rejects, alerts, exchange rates,
the warehouse, the current build, and the secrets that all machines share.
Not copied: the API key, due plans, older builds, dev environments, results of
partial replays, logs, and Temporal's database.

Before: pause the schedules, wait until no run is open, stop all workers and
receivers. The command refuses open runs and a warehouse that a process writes.
After an interruption, the same command continues. Until all files are equal,
workers refuse the target. The source stays as it is.

The command removes nothing, except the replaced checkpoint of the warehouse in
a bucket. It replaces files that runs change, such as the warehouse, and names
them. It refuses a target with other data, or with newer landed parts.
The exit code is 1 if a file differs.
${examples(
  'tidemark data copy ./data s3://my-bucket/tidemark',
  'tidemark data copy s3://my-bucket/tidemark ./data-back',
  'tidemark data copy ./data s3://my-bucket/tidemark --check',
)}`,
    )
    .action(async (from: string, to: string, options: Options, command: Command) => {
      const [{ findConfig, openDataPlace }, { checkCopy, copyData }] = await Promise.all([
        import('./open-places.js'),
        import('../../maintenance/copy/copy-data.js'),
      ]);
      const config = findConfig(command);
      const [source, target] = [openDataPlace(from, config), openDataPlace(to, config)];
      const onStep = (step: 'send' | 'verify', files: number): void => {
        if (!options.json) tell(`${step === 'send' ? 'Copying' : 'Comparing'} ${formatCount(files)} files …`);
      };
      const onWait = (holder: string): void => tell(`The warehouse is in use by ${holder}. Waiting up to 45 s.`);
      if (!options.check) {
        const { refuseOpenRuns } = await import('./refuse-open-runs.js');
        await refuseOpenRuns(source.dataDir ?? config?.dataDir ?? null);
      }
      const result = options.check
        ? await checkCopy(source, target, { onStep })
        : await copyData(source, target, { abandonRuns: options.abandonRuns, onStep, onWait });
      if (result.verified.differences.length > 0) process.exitCode = FAILED;
      if (options.json) return sayJson(result);
      sayCopied(result, options.check === true);
    });
}

function sayCopied({ to, id, sent, same, replaced, build, verified }: CopyResult, isCheck: boolean): void {
  if (!isCheck) {
    say(`${formatCount(sent.files)} files (${formatBytes(sent.bytes)}) sent, ${formatCount(same)} were there`);
    if (replaced.length > 0) sayPaths('replaced because the source has another content', replaced);
  }
  const { files, bytes, differences } = verified;
  say(`${formatCount(files)} files (${formatBytes(bytes)}) of ${to} read and equal`);
  if (differences.length > 0) {
    sayPaths(
      'differ',
      differences.map(({ path, why }) => `${path}: ${why}`),
    );
    return say(isCheck ? '✖ The places differ.' : '✖ The copy is not complete. Workers refuse the target until it is.');
  }
  say(`✔ ${to} holds all data (id ${id.slice(0, 8)}${build === null ? '' : `, build ${build}`})`);
}

function sayPaths(what: string, paths: readonly string[]): void {
  say(`${formatCount(paths.length)} files ${what}:`);
  for (const path of paths.slice(0, SHOWN)) say(`  ${path}`);
  if (paths.length > SHOWN) say(`  … and ${formatCount(paths.length - SHOWN)} more; --json lists all`);
}
