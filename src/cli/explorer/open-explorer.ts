import { homedir } from 'node:os';
import path from 'node:path';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { NICE, yieldCpu } from '../../base/yield-cpu.js';
import type { CliContext } from '../context.js';
import { tell } from '../terminal/print.js';
import type { LiveAnswer } from '../../../schemas/explorer/api.js';
import type { BuildFile } from '../../serve/explorer/data/build-pool.js';
import type { Explorer, ExplorerOptions } from '../../serve/explorer/explorer.js';
import { freePort } from '../terminal/ports.js';

/** Port of the explorer, so that its address stays the same from start to start. */
export const EXPLORER_PORT = 4780;

/** Options of `openExplorer`. */
export interface OpenOptions {
  /** Port on 127.0.0.1. If left out: 4780, or the next free one. */
  port?: number;
  /** Folder of saved queries. If left out: `~/.tidemark/queries`. */
  queries?: string;
  /** Opens the build at the first request, and closes it when idle. So an explorer that nobody visits needs no memory. */
  waits?: boolean;
}

/** What the explorer reads. */
type Source = Pick<ExplorerOptions, 'dataDir' | 'findBuild' | 'temporalUi' | 'readLive' | 'askFates'>;

/**
 * Starts the explorer of the data folder to which the configuration refers.
 * @throws TidemarkError `InvalidInput` when the given port is taken
 */
export async function openExplorer(
  context: Pick<CliContext, 'config' | 'clock'>,
  options: OpenOptions = {},
): Promise<Explorer> {
  const { dataDir } = context.config;
  const [{ resolveTemporal }, { readLive }, { askFates }] = await Promise.all([
    import('../../temporal/connect.js'),
    import('./live.js'),
    import('../ask-fates.js'),
  ]);
  const temporalUi = (): string | null => resolveTemporal(dataDir).ui;
  const fates: Source['askFates'] = async (runs) => (await askFates(dataDir, runs)).outcomes;
  return startOn({ dataDir, temporalUi, readLive: async () => readLive(context), askFates: fates }, options);
}

/**
 * Starts the explorer of a bucket or folder with copied builds, without a configuration. It follows newer versions.
 * @throws TidemarkError `InvalidInput` when the given port is taken, StorageError when no build was copied there
 */
export async function openCopied(from: string, options: OpenOptions = {}): Promise<Explorer> {
  const { followCurrent } = await import('../copied/open-place.js');
  const { place, newest } = await followCurrent(from);
  const findBuild = (): BuildFile => {
    const { build, file } = newest();
    return { file, name: build };
  };
  return startOn(
    {
      dataDir: place,
      findBuild,
      temporalUi: () => null,
      readLive: async () => noRuns(place),
      askFates: async () => new Map(),
    },
    options,
  );
}

async function startOn(source: Source, options: OpenOptions): Promise<Explorer> {
  const [{ startExplorer }, { version }, { findUi }] = await Promise.all([
    import('../../serve/explorer/explorer.js'),
    import('../../base/version.js'),
    import('../../../bootstrap/ui.mjs'),
  ]);
  const assets = await findUi({ log: tell });
  yieldCpu(NICE.explorer);
  const start = async (port: number): Promise<Explorer> =>
    startExplorer({
      ...source,
      assets,
      port,
      savedQueries: path.resolve(options.queries ?? path.join(homedir(), '.tidemark', 'queries')),
      version: version(),
      waits: options.waits ?? false,
    });
  if (options.port !== undefined) return start(options.port);
  try {
    return await start(await freePort(EXPLORER_PORT));
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    // All these ports are taken, or another process was faster. The system knows a free one.
    return start(0);
  }
}

/** What Operations shows for a copy: no run, and why. */
function noRuns(place: string): LiveAnswer {
  const error = `This explorer reads a copy from ${place}, and does not ask Temporal.`;
  return {
    reachable: false,
    address: '',
    ui: null,
    namespace: '',
    error,
    running: [],
    waiting: [],
    next: [],
    warnings: [],
  };
}

/**
 * Starts the explorer in a process that has other work. Never rejects: without an explorer, that work goes on.
 * @returns null if the explorer cannot start; the reason was printed
 */
export async function openBeside(
  context: Pick<CliContext, 'config' | 'clock'>,
  options: OpenOptions = {},
): Promise<Explorer | null> {
  try {
    return await openExplorer(context, options);
  } catch (error) {
    tell(`The explorer cannot start: ${errorMessage(error)} To try again: \`npx tidemark ui\`.`);
    return null;
  }
}
