import { Option, type Command } from 'commander';
import { formatBytes, formatCount } from '../../schemas/format.js';
import type { Data } from '../store/data.js';
import { examples, loadContext } from './context.js';
import { parseCount } from './terminal/port-options.js';
import { say, sayJson } from './terminal/print.js';
import type { Compacted, CompactRequest } from '../maintenance/compact/compact.js';
import { daysBefore } from '../base/time/time.js';

/** `tidemark compact`: joins small landed parts and drops repeated answers. */
export function registerCompact(program: Command): void {
  program
    .command('compact')
    .summary('join the small landed parts of ended runs')
    .description('join the small landed parts of ended runs; with --drop-repeats, also remove repeated answers')
    .addOption(
      new Option('--min-parts <number>', 'join the parts of a run and stream only if there are at least this many')
        .argParser(parseCount)
        .default(4),
    )
    .addOption(
      new Option(
        '--drop-repeats <days>',
        'also remove an answer older than this number of days, if it equals the answer before it and the answer after it',
      ).argParser(parseCount),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
A replay of the joined parts gives the same tables. After --drop-repeats, only
the shares in ops.drift and the rejects of a run in ops.runs and
ops.night_quality differ, because they count only the kept answers.
${examples('tidemark compact', 'tidemark compact --drop-repeats 90')}`,
    )
    .action(async (options: { minParts: number; dropRepeats?: number; json?: boolean }, command: Command) => {
      const context = await loadContext(command);
      const { data, clock } = context;
      const now = clock.now();
      const { minParts, dropRepeats } = options;
      const dropRepeatsBefore = dropRepeats === undefined ? undefined : daysBefore(now, dropRepeats);
      const { asWriter } = await import('./as-writer.js');
      const done = await asWriter(context, { what: 'tidemark compact', needs: 'saved', now }, () =>
        compact(data, { minParts, dropRepeatsBefore }),
      );
      if (options.json) return sayJson(done);
      if (done.folders === 0) return say('Nothing to join. Only loaded parts of ended runs are joined.');
      say(
        `✔ ${formatCount(done.partsBefore)} parts of ${formatCount(done.folders)} folders are now ${formatCount(done.partsAfter)}; ${formatBytes(done.bytesBefore)} are now ${formatBytes(done.bytesAfter)}`,
      );
      if (done.dropped > 0) say(`  ${formatCount(done.dropped)} repeated answers dropped`);
    });
}

async function compact(data: Data, request: CompactRequest): Promise<Compacted> {
  const [{ openWarehouse }, { compactLanding }] = await Promise.all([
    import('../warehouse/duckdb/open.js'),
    import('../maintenance/compact/compact.js'),
  ]);
  const warehouse = await openWarehouse(data, { what: 'tidemark compact' });
  try {
    return await compactLanding(warehouse, data, request);
  } finally {
    await warehouse.close();
  }
}
