import { Option, type Command } from 'commander';
import { examples, loadContext } from '../context.js';
import { interruptSignal, untilAborted } from '../terminal/interrupt.js';
import { parseCount } from '../terminal/port-options.js';
import { say, tell } from '../terminal/print.js';
import { EXPLORER_PORT, openCopied, openExplorer } from './open-explorer.js';

interface Options {
  port?: number;
  queries?: string;
  from?: string;
}

/** `tidemark ui`: serves the explorer of the published warehouse to a browser on this machine. */
export function registerUi(program: Command): void {
  program
    .command('ui')
    .summary('explore the published warehouse in a browser')
    .description('serve the explorer of the published warehouse on 127.0.0.1, until Ctrl-C; read-only')
    .addOption(
      new Option('--port <port>', `port on 127.0.0.1; default ${EXPLORER_PORT}, or the next free one`).argParser(
        parseCount,
      ),
    )
    .option('--queries <folder>', 'folder of saved queries; default ~/.tidemark/queries')
    .option(
      '--from <place>',
      'show and follow the current version of a bucket (s3://…) or folder to which `publish.to` copies',
    )
    .addHelpText(
      'after',
      examples(
        'tidemark ui',
        'tidemark ui --port 4800 --queries ./queries',
        'tidemark ui --from s3://my-bucket/tidemark',
      ),
    )
    .action(async (options: Options, command: Command) => {
      const context = options.from === undefined ? await loadContext(command) : undefined;
      const stop = interruptSignal();
      const explorer = await (context === undefined
        ? openCopied(options.from ?? '', options)
        : openExplorer(context, options));
      say(`Explorer   ${explorer.address}`);
      tell('\nOpen this address in a browser on this machine. Ctrl-C ends it.');
      await untilAborted(stop);
      await explorer.close();
    });
}
