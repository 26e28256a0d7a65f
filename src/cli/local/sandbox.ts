import { InvalidArgumentError, type Command } from 'commander';
import { formatCount } from '../../../schemas/format.js';
import { IsoDate } from '../../../schemas/pipeline/run.js';
import { examples, loadContext } from '../context.js';
import { say, sayResult, tell } from '../terminal/print.js';

/**
 * `tidemark sandbox`: runs only the sandbox API, as a separate process. `tidemark sandbox day` moves the sandbox of
 * `tidemark up --sandbox` to a later day.
 */
export function registerSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .summary('run the sandbox API alone')
    .description('run the sandbox API, with options such as --companies N, --tenders N, --seed S, --port P, --key K')
    .argument('[options...]', 'options of the sandbox; `tidemark sandbox --help` lists them all')
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', examples('tidemark sandbox --companies 10000 --port 4010'))
    .action(async (args: string[]) => {
      const [{ runSandbox }, { parseReady }] = await Promise.all([
        import('./run-sandbox.js'),
        import('./sandbox-process.js'),
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

  sandbox
    .command('day')
    .summary('move the running sandbox to a later day')
    .description(
      'move the sandbox of `tidemark up --sandbox`, and the clock of its worker and commands, to the next day or a date; a new day has its full quota',
    )
    .argument('[date]', 'YYYY-MM-DD; default the next day', parseDate)
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'display help for command')
    .addHelpText('after', examples('tidemark sandbox day', 'tidemark sandbox day 2027-03-28'))
    .action(async (date: string | undefined, options: { json?: boolean }, command: Command) => {
      const { config } = await loadContext(command);
      const { moveSandbox } = await import('./move-sandbox.js');
      const state = await moveSandbox(config.dataDir, date);
      const quota =
        state.quota.dailyLimit === 0
          ? 'no daily limit'
          : `${formatCount(state.quota.used)} of ${formatCount(state.quota.dailyLimit)} calls used`;
      sayResult(
        options,
        state,
        `Sandbox: ${state.date}, ${formatCount(state.companies)} companies, ${quota}. Next, run \`tidemark snapshot\`.`,
      );
    });
}

function parseDate(text: string): string {
  if (IsoDate.safeParse(text).success) return text;
  throw new InvalidArgumentError('A date is YYYY-MM-DD.');
}
