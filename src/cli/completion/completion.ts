import { Argument, type Command } from 'commander';
import { configOption, examples } from '../context.js';
import { say } from '../terminal/print.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `tidemark completion`: prints a script with which a shell completes commands, options and market names. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a script that completes commands in a shell')
    .description('print a script with which the shell completes commands, options and names of markets')
    .addArgument(new Argument('<shell>', 'shell that reads the script').choices(SHELLS))
    .addHelpText(
      'after',
      `${examples(
        'tidemark completion bash >> ~/.bashrc',
        'tidemark completion zsh > "${fpath[1]}/_tidemark"',
        'tidemark completion fish > ~/.config/fish/completions/tidemark.fish',
      )}\n\nThe script needs \`tidemark\` on the PATH. Open a new shell afterwards.`,
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { SCRIPTS } = await import('./scripts.js');
      process.stdout.write(SCRIPTS[shell]);
    });
  // The scripts call this command at each press of the tab key.
  program
    .command('complete [words...]', { hidden: true })
    .description('print the words that can follow, for the scripts of `tidemark completion`')
    .addHelpText('after', examples('tidemark complete -- snapshot --mar'))
    .action(async (words: string[], _options: object, command: Command) => {
      const { findCompletions } = await import('./find-completions.js');
      const found = await findCompletions(program, words, async () => marketNames(configOption(command)));
      for (const word of found) say(word);
    });
}

/** Returns the names of the configured markets; none when the configuration cannot be read. */
async function marketNames(config: string | undefined): Promise<string[]> {
  try {
    const { loadInForce } = await import('../../config/config-in-force.js');
    return loadInForce(config).markets.map(({ name }) => name);
  } catch {
    return [];
  }
}
