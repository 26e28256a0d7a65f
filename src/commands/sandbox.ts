import type { Command } from 'commander';
import { examples } from '../terminal/context.js';
import { say, tell } from '../terminal/print.js';

/** `tidemark sandbox`: runs only the sandbox API, as a separate process. */
export function registerSandbox(program: Command): void {
  program
    .command('sandbox')
    .summary('run the sandbox API alone')
    .description('run the sandbox API, with options such as --companies N, --tenders N, --seed S, --port P, --key K')
    .argument('[options...]', 'options of the sandbox; `tidemark sandbox --help` lists them all')
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', examples('tidemark sandbox --companies 10000 --port 4010'))
    .action(async (args: string[]) => {
      const [{ runSandbox }, { parseReady }] = await Promise.all([
        import('./local/run-sandbox.js'),
        import('./local/sandbox-process.js'),
      ]);
      process.exitCode = await runSandbox(args, (line) => {
        const ready = parseReady(line);
        // A script reads the JSON line unchanged. A person gets instructions.
        if (ready === null || !process.stdout.isTTY) return say(line);
        say(`Sandbox API  ${ready.sandbox}`);
        say(`API key      ${ready.key}`);
        say(`\n  export TIDEMARK_API_URL=${ready.sandbox} TIDEMARK_API_KEY=${ready.key}\n`);
        tell('Ctrl-C stops the sandbox.');
      });
    });
}
