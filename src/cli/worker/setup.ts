import type { Command } from 'commander';
import { configOption, examples, loadContext } from '../context.js';
import { say, sayJson, tell } from '../terminal/print.js';

/** `tidemark setup`: prepares a Temporal namespace. */
export function registerSetup(program: Command): void {
  program
    .command('setup')
    .summary('prepare a Temporal namespace')
    .description('prepare a Temporal namespace once: check it and register the search attributes')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('tidemark setup', 'TEMPORAL_ADDRESS=temporal:7233 TEMPORAL_NAMESPACE=market tidemark setup'),
    )
    .action(async (options: { json?: boolean }, command: Command) => {
      // Setup also works without a configuration, unless the user named one.
      const dataDir = await loadContext(command).then(
        ({ config }) => config.dataDir,
        (error: unknown) => {
          if (configOption(command) !== undefined) throw error;
          return null;
        },
      );
      const [{ connectTemporal }, { connectForFolder }, { ensureSearchAttributes }] = await Promise.all([
        import('../../temporal/connect.js'),
        import('../../temporal/connect-folder.js'),
        import('../../temporal/search-attributes.js'),
      ]);
      const temporal = await (dataDir === null ? connectTemporal(null) : connectForFolder(dataDir, 'prepare'));
      try {
        const { added, missing, warning } = await ensureSearchAttributes(temporal);
        const { address, namespace } = temporal.target;
        if (options.json) sayJson({ address, namespace, added, missing: missing.state });
        else if (added.length > 0)
          say(`Namespace ${namespace} on ${address}: added search attributes ${added.join(', ')}.`);
        else say(`Namespace ${namespace} on ${address} is ready; nothing to do.`);
        if (warning !== null) tell(`Warning: ${warning}`);
      } finally {
        await temporal.close();
      }
    });
}
