import type { Client, ScheduleHandle } from '@temporalio/client';
import type { Command } from 'commander';
import { TidemarkError } from '../../base/errors.js';
import { examples, loadContext, type CliContext } from '../context.js';
import type { FolderClient, Purpose } from '../../temporal/connect-folder.js';
import { say, sayResult, sayJson, tell } from '../terminal/print.js';
import { sayTable } from '../terminal/say-table.js';

/** `tidemark schedule …`: manages the Temporal Schedules that tidemark.yaml declares. */
export function registerSchedule(program: Command): void {
  const schedule = program
    .command('schedule')
    .summary('manage nightly runs')
    .description('manage nightly runs: Temporal Schedules, declared in tidemark.yaml')
    .addHelpText(
      'after',
      examples(
        'tidemark schedule apply',
        'tidemark schedule backfill snapshot/nordics --from 2026-11-01 --to 2026-11-03',
      ),
    );

  schedule
    .command('apply')
    .description('create, update and remove schedules to match tidemark.yaml')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark schedule apply'))
    .action(async (options: { json?: boolean }, command: Command) => {
      await withClient(command, 'prepare', async (client, { config, clock }, temporal) => {
        const [{ applySchedules, declaredSchedules }, { ensureSearchAttributes }, { scheduleWarnings }] =
          await Promise.all([
            import('../../temporal/schedules.js'),
            import('../../temporal/search-attributes.js'),
            import('./schedule-warnings.js'),
          ]);
        // The schedules set a search attribute, so the server would refuse them without it.
        const { warning } = await ensureSearchAttributes(temporal);
        if (warning !== null) tell(`Warning: ${warning}`);
        const applied = await applySchedules(client, declaredSchedules(config), temporal.folder);
        if (options.json) sayJson(applied);
        else if (applied.length === 0) say(`${config.file} declares no schedule, and the server has none.`);
        for (const { id, change } of options.json ? [] : applied) {
          say(`${change.padEnd(9)}  ${id}${change === 'removed' ? '  (no longer declared)' : ''}`);
        }
        for (const { message, todo } of scheduleWarnings(config, clock.now())) tell(`Warning: ${message} ${todo}`);
      });
    });

  schedule
    .command('list')
    .description('list the schedules on the server with their last and next runs')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark schedule list'))
    .action(async (options: { json?: boolean }, command: Command) => {
      await withClient(command, 'read', async (client, { config }) => {
        const { listSchedules } = await import('./schedule-list.js');
        const rows = await listSchedules(client, config);
        if (options.json) sayJson(rows);
        else if (rows.length === 0)
          say('No schedule exists. Declare one in tidemark.yaml, then run `tidemark schedule apply`.');
        else {
          const columns = ['schedule', 'cron', 'timezone', 'state', 'last', 'next'] as const;
          sayTable({ columns, rows: rows.map((row) => columns.map((column) => row[column])) });
        }
      });
    });

  onOne(schedule, 'pause', 'start no runs of this schedule until `schedule resume`', async (handle) => {
    await handle.pause('paused with tidemark schedule pause');
    return 'paused';
  });
  onOne(schedule, 'resume', 'end the pause of a schedule; its runs start at their set times again', async (handle) => {
    await handle.unpause('resumed with tidemark schedule resume');
    return 'resumed';
  });
  onOne(schedule, 'trigger', "start a run now, with today's date", async (handle) => {
    await handle.trigger('BUFFER_ALL');
    return 'triggered';
  });
  onOne(
    schedule,
    'delete',
    'remove a schedule from the server; `schedule apply` creates it again if tidemark.yaml declares it',
    async (handle) => {
      await handle.delete();
      return 'deleted';
    },
  );

  schedule
    .command('backfill <id>')
    .summary('start one run for each scheduled time between two days')
    .description(
      'start one run for each scheduled time between two days; the run of a past date fetches only data that the API can report by date',
    )
    .requiredOption('--from <day>', "first day, YYYY-MM-DD, in the schedule's time zone")
    .requiredOption('--to <day>', 'last day, YYYY-MM-DD')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark schedule backfill snapshot/nordics --from 2026-11-01 --to 2026-11-03'))
    .action(async (id: string, options: { from: string; to: string; json?: boolean }, command: Command) => {
      await withClient(command, 'act', async (client, { clock }) => {
        const [{ parseSpan }, { daySpan }] = await Promise.all([
          import('../terminal/dates.js'),
          import('../../base/time/zoned-day.js'),
        ]);
        const { from, to } = parseSpan(options, clock);
        const handle = client.schedule.getHandle(fullId(id));
        const timeZone = (await explained(handle.describe(), fullId(id))).spec.timezone ?? 'UTC';
        const { start, end } = daySpan(from, to, timeZone);
        // Begin the backfill 1 s early: some Temporal servers leave out a run at the first instant. Cron times are full
        // minutes, so the extra second starts no other run.
        await handle.backfill({ start: new Date(start.getTime() - 1_000), end, overlap: 'BUFFER_ALL' });
        sayResult(
          options,
          { schedule: fullId(id), from, to, timeZone },
          `Backfilling ${fullId(id)} from ${from} to ${to} (${timeZone}), one run after the other. \`tidemark status\` shows them.`,
        );
      });
    });
}

/**
 * Adds a command that changes one schedule.
 * @param act makes the change and returns its name, such as `paused`
 */
function onOne(
  parent: Command,
  verb: string,
  description: string,
  act: (handle: ScheduleHandle) => Promise<string>,
): void {
  parent
    .command(`${verb} <id>`)
    .description(description)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples(`tidemark schedule ${verb} snapshot/nordics`))
    .action(async (id: string, options: { json?: boolean }, command: Command) => {
      await withClient(command, 'act', async (client) => {
        const schedule = fullId(id);
        const change = await explained(act(client.schedule.getHandle(schedule)), schedule);
        sayResult(options, { schedule, change }, `${change}  ${schedule}`);
      });
    });
}

/** Adds the prefix `tidemark/` if it is missing: `snapshot/nordics` means `tidemark/snapshot/nordics`. */
function fullId(id: string): string {
  return id.startsWith('tidemark/') ? id : `tidemark/${id}`;
}

async function explained<T>(work: Promise<T>, id: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
    throw new TidemarkError('Internal', `The server has no schedule ${id}.`, {
      todo: '`tidemark schedule list` shows the schedules; `tidemark schedule apply` creates the declared ones.',
    });
  }
}

async function withClient(
  command: Command,
  purpose: Purpose,
  work: (client: Client, context: CliContext, temporal: FolderClient) => Promise<void>,
): Promise<void> {
  const context = await loadContext(command);
  const { connectForFolder } = await import('../../temporal/connect-folder.js');
  const temporal = await connectForFolder(context.config.dataDir, purpose);
  try {
    await work(temporal.client, context, temporal);
  } finally {
    await temporal.close();
  }
}
