import type { Command } from 'commander';
import { formatDuration } from '../../../schemas/format.js';
import { TidemarkError } from '../../base/errors.js';
import type { TemporalClient } from '../../temporal/connect.js';
import type { Purpose } from '../../temporal/connect-folder.js';
import type { ListedWorker } from '../../temporal/list-workers.js';
import type { Build, VersionState } from '../../temporal/versions.js';
import { examples, loadContext } from '../context.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { sayTable } from '../terminal/say-table.js';

/** Name that selects workers without a version in `tidemark workers promote`. */
const UNVERSIONED = 'unversioned';

/** `tidemark workers …`: shows the workers and the versions of the crawl workers, and makes one version current. */
export function registerWorkers(program: Command): void {
  const workers = program
    .command('workers')
    .description('show the workers, what each one does now, and the versions of workers and of open runs')
    .summary('show workers, their versions and their work')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark workers', 'tidemark workers promote'))
    .action(async (options: { json?: boolean }, command: Command) => {
      await withTemporal(command, 'read', async ({ client }) => {
        const [{ describeOpen }, { listWorkers }, { readVersions, versionWarnings }] = await Promise.all([
          import('../../temporal/describe-open.js'),
          import('../../temporal/list-workers.js'),
          import('../../temporal/versions.js'),
        ]);
        const open = describeOpen(client);
        const [listed, state] = await Promise.all([listWorkers(client, open), readVersions(client, open)]);
        const rows = state === null ? [] : versionRows(state);
        const warnings = state === null ? [] : versionWarnings(state);
        if (options.json)
          return sayJson({ workers: listed, current: state?.current ?? null, versions: rows, warnings });
        if (listed.length === 0) say('No worker has polled in the last 90 s. Start one with `tidemark worker`.');
        else sayWorkers(listed);
        const columns = ['version', 'current', 'workers', 'runs'] as const;
        if (rows.length > 0) {
          say('');
          sayTable({ columns, rows: rows.map((row) => columns.map((column) => row[column])) });
        }
        for (const warning of warnings) tell(`Warning: ${warning}`);
      });
    });

  workers
    .command('promote [version]')
    .description('start new runs on a version; default: the newest version that has a worker')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark workers promote', `tidemark workers promote ${UNVERSIONED}`))
    .action(async (version: string | undefined, _options: unknown, command: Command) => {
      await withVersions(command, async ({ client }, state) => {
        const { nameOf, promote } = await import('../../temporal/versions.js');
        const build = version === undefined ? newestLive(state) : parseBuild(version, state);
        if (build !== state.current) await promote(client, build);
        // The parent command `workers` also has the option `--json` and reads it first.
        if (command.optsWithGlobals<{ json?: boolean }>().json) return sayJson({ current: nameOf(build) });
        say(`New runs start on ${nameOf(build)}.`);
      });
    });
}

async function withTemporal(
  command: Command,
  purpose: Purpose,
  work: (temporal: TemporalClient) => Promise<void>,
): Promise<void> {
  const { config } = await loadContext(command);
  const { connectForFolder } = await import('../../temporal/connect-folder.js');
  const temporal = await connectForFolder(config.dataDir, purpose);
  try {
    await work(temporal);
  } finally {
    await temporal.close();
  }
}

async function withVersions(
  command: Command,
  work: (temporal: TemporalClient, state: VersionState) => Promise<void>,
): Promise<void> {
  await withTemporal(command, 'act', async (temporal) => {
    const { readVersions } = await import('../../temporal/versions.js');
    const state = await readVersions(temporal.client);
    if (state === null) {
      throw new TidemarkError(
        'Internal',
        'This Temporal server has no Worker Deployments, or refuses access to them.',
        {
          todo: 'Nothing is wrong: workers then run without versions. Worker Deployments need Temporal 1.28 or later.',
        },
      );
    }
    await work(temporal, state);
  });
}

function sayWorkers(workers: readonly ListedWorker[]): void {
  const now = Date.now();
  sayTable({
    columns: ['worker', 'role', 'last poll', 'works on'],
    rows: workers.map(({ worker, roles, polledAt, doing }) => [
      worker,
      roles.join(', '),
      polledAt === null ? 'busy' : `${formatDuration(Math.max(0, now - Date.parse(polledAt)))} ago`,
      doing
        .map(({ activity, workflowId, count }) => `${count === 1 ? '' : `${count} × `}${activity} of ${workflowId}`)
        .join('; '),
    ]),
  });
}

interface VersionRow {
  version: string;
  current: 'yes' | '';
  /** Whether a worker of the version polls. */
  workers: 'polling' | 'none';
  /** Number of open runs that only this version may continue. */
  runs: number;
}

function versionRows({ current, versions, live, pinned }: VersionState): VersionRow[] {
  const builds: Build[] = versions.map(({ build }) => build);
  if (current === null || live.has(null)) builds.push(null);
  return builds.map((build) => ({
    version: build ?? UNVERSIONED,
    current: build === current ? 'yes' : '',
    workers: live.has(build) ? 'polling' : 'none',
    runs: pinned.filter((run) => run.build === build).length,
  }));
}

function newestLive({ versions, live }: VersionState): Build {
  const newest = versions.find(({ build }) => live.has(build));
  if (newest) return newest.build;
  if (live.has(null)) return null;
  throw new TidemarkError('InvalidInput', 'No worker polls.', { todo: 'Start one with `tidemark worker`.' });
}

function parseBuild(text: string, { versions }: VersionState): Build {
  if (text === UNVERSIONED) return null;
  const meant = versions.filter(({ build }) => build.startsWith(text));
  if (meant.length === 1 && meant[0]) return meant[0].build;
  throw new TidemarkError(
    'InvalidInput',
    `${meant.length === 0 ? 'No version matches' : 'Several versions match'} "${text}".`,
    {
      todo: `\`tidemark workers\` lists the versions. ${UNVERSIONED} selects workers without a version.`,
    },
  );
}
