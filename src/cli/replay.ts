import path from 'node:path';
import { Option, type Command } from 'commander';
import { errorMessage, TidemarkError } from '../base/errors.js';
import { formatCount, formatDuration } from '../../schemas/format.js';
import { IsoDate } from '../../schemas/pipeline/run.js';
import { copyAndSay } from './published-copy.js';
import { examples, loadContext } from './context.js';
import type { RebuildRequest, Rebuilt } from '../maintenance/rebuild.js';
import { FAILED } from './terminal/print-error.js';
import { whileShowingTables } from './terminal/show-tables.js';
import { say, sayJson, tell } from './terminal/print.js';

interface ReplayOptions {
  from?: string;
  to?: string;
  into?: string;
  json?: boolean;
}

const STEPS = { load: 'Loading the landed parts', models: 'Building the models', publish: 'Publishing' };

/**
 * `tidemark replay`: builds the warehouse again from the landing zone. Needs no API key, no API and no Temporal server.
 */
export function registerReplay(program: Command): void {
  const day = (name: string, what: string) => new Option(`--${name} <day>`, what).argParser(parseDay);
  program
    .command('replay')
    .summary('rebuild the warehouse from the landing zone')
    .description('rebuild the warehouse from the landing zone, with no API call')
    .addOption(day('from', 'first landing date, YYYY-MM-DD; needs --into'))
    .addOption(day('to', 'last landing date; needs --into'))
    .option('--into <folder>', 'build a second warehouse in this folder, for example from only some nights')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark replay', 'tidemark replay --to 2026-10-31 --into ./as-of-october'))
    .action(async (options: ReplayOptions, command: Command) => {
      checkRange(options);
      const context = await loadContext(command);
      const { config, data, clock } = context;
      const [{ rebuildWarehouse }, { tableSettings }] = await Promise.all([
        import('../maintenance/rebuild.js'),
        import('../config/config.js'),
      ]);
      const begun = performance.now();
      const request: RebuildRequest = {
        now: clock.now(),
        ...tableSettings(config, data),
        readers: config.readers,
        keep: config.publish.keep,
        from: options.from,
        to: options.to,
        into: options.into === undefined ? undefined : path.resolve(options.into),
        onStep: (step) => {
          if (!options.json) tell(`${STEPS[step]} …`);
        },
      };
      const what = 'tidemark replay';
      const isInPlace = request.into === undefined;
      const replay = async () => {
        const result = await whileShowingTables(options, () => rebuildWarehouse(data, request));
        if (!options.json) sayReplayed(result, { dataDir: config.dataDir, into: request.into, begun });
        if (isInPlace) await copyAndSay(context, { what, json: options.json });
        return result;
      };
      const { asWriter } = await import('./as-writer.js');
      const result = isInPlace
        ? await asWriter(context, { what, needs: 'any', now: request.now }, replay)
        : await replay();
      if (result.faults.length > 0) process.exitCode = FAILED;
      if (options.json) sayJson(result);
    });
}

function sayReplayed(
  result: Rebuilt,
  { dataDir, into = dataDir, begun }: { dataDir: string; into?: string | undefined; begun: number },
): void {
  const took = formatDuration(performance.now() - begun);
  const { parts, rows, rejects, models, published, faults, failedAudits, notes } = result;
  say(
    `${faults.length === 0 ? '✔ replayed' : '✖ replayed only in part'}: ${formatCount(rows)} rows of ${formatCount(parts)} parts in ${took}`,
  );
  say(`  tables     ${models} models, ${formatCount(published.rows)} rows published, ${formatCount(rejects)} rejected`);
  for (const audit of failedAudits) say(`  audit      ${audit}`);
  for (const note of notes) say(`  note       ${note}`);
  if (parts === 0)
    say(
      `  note       ${dataDir} has no landed parts. Check that it is the data folder of the workers (--config, TIDEMARK_DATA).`,
    );
  for (const fault of faults) say(`  unreadable ${fault}`);
  say(`  published  ${path.join(into, published.file)}`);
}

/** Refuses `--from` and `--to` without `--into`: a warehouse of some nights must not replace the complete one. */
function checkRange({ from, to, into }: ReplayOptions): void {
  if ((from !== undefined || to !== undefined) && into === undefined) {
    throw new TidemarkError('InvalidInput', '--from and --to need --into, because they select only some nights.', {
      todo: 'Name a folder for the second warehouse: `tidemark replay --to 2026-10-31 --into ./as-of-october`. To replay all nights in place, omit --from and --to.',
    });
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw new TidemarkError('InvalidInput', `--from (${from}) is after --to (${to}).`, { todo: 'Swap the two dates.' });
  }
}

function parseDay(text: string): string {
  const parsed = IsoDate.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new TidemarkError('InvalidInput', `${text} is not a date: ${errorMessage(parsed.error.issues[0])}`, {
    todo: 'Write it as YYYY-MM-DD.',
  });
}
