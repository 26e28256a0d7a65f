import { homedir } from 'node:os';
import path from 'node:path';
import { Option, type Command } from 'commander';
import { examples, loadContext, type CliContext } from '../../terminal/context.js';
import { interruptSignal, untilAborted } from '../../terminal/interrupt.js';
import { parseCount } from '../../terminal/port-options.js';
import { say, tell } from '../../terminal/print.js';
import type { Explorer } from '../../ui/explorer.js';
import { freePort } from '../local/ports.js';

/** Port of the explorer, so that its address stays the same from start to start. */
const PORT = 4780;

interface Options {
  port?: number;
  queries?: string;
}

/** `tidemark ui`: serves the explorer of the published warehouse to a browser on this machine. */
export function registerUi(program: Command): void {
  program
    .command('ui')
    .summary('explore the published warehouse in a browser')
    .description('serve the explorer of the published warehouse on 127.0.0.1, until Ctrl-C; read-only')
    .addOption(
      new Option('--port <port>', `port on 127.0.0.1; default ${PORT}, or the next free one`).argParser(parseCount),
    )
    .option('--queries <folder>', 'folder of saved queries; default ~/.tidemark/queries')
    .addHelpText('after', examples('tidemark ui', 'tidemark ui --port 4800 --queries ./queries'))
    .action(async (options: Options, command: Command) => {
      const context = await loadContext(command);
      const stop = interruptSignal();
      const explorer = await openExplorer(context, options);
      say(`Explorer   ${explorer.address}`);
      tell('\nOpen this address in a browser on this machine. Ctrl-C ends it.');
      await untilAborted(stop);
      await explorer.close();
    });
}

/** Starts the explorer of the data folder to which the configuration refers. */
export async function openExplorer(
  context: CliContext,
  { port, queries }: Pick<Options, 'port' | 'queries'> = {},
): Promise<Explorer> {
  const { config } = context;
  const [{ startExplorer }, { version }, { writeCsv }, { resolveTemporal }, { findUi }, { readLive }] =
    await Promise.all([
      import('../../ui/explorer.js'),
      import('../../core/version.js'),
      import('../published/write-rows.js'),
      import('../../temporal/connect.js'),
      import('../../../bootstrap/ui.mjs'),
      import('./live.js'),
    ]);
  const options = {
    dataDir: config.dataDir,
    assets: await findUi({ log: tell }),
    savedQueries: path.resolve(queries ?? path.join(homedir(), '.tidemark', 'queries')),
    version: version(),
    temporalUi: () => resolveTemporal(config.dataDir).ui,
    writeCsv,
    readLive: async () => readLive(context),
  };
  return startExplorer({ ...options, port: port ?? (await freePort(PORT)) });
}
