import { InvalidArgumentError, type Command } from 'commander';
import { examples, loadContext } from '../context.js';
import { say, sayResult, tell } from '../terminal/print.js';
import type { LoginOptions } from './sign-in.js';

/** `tidemark login`: signs in through the connector and stores the API key. */
export function registerLogin(program: Command): void {
  program
    .command('login')
    .summary('sign in in a browser and store the API key')
    .description('sign in with the connector application of the API in a browser, and store the API key')
    .option('--no-browser', 'open no browser: print the address, and read the API key from the terminal or stdin')
    .option('--timeout <minutes>', 'minutes to wait for the sign-in, at most 60', minutes, 10)
    .option('--check', 'only check the API key in use; do not sign in')
    .addHelpText('after', examples('tidemark login', 'tidemark login --no-browser < key.txt', 'tidemark login --check'))
    .action(async (options: LoginOptions & { check?: boolean }, command: Command) => {
      const context = await loadContext(command);
      if (options.check) return checkKeyInUse(context);
      const { signIn } = await import('./sign-in.js');
      process.exitCode = await signIn(context, options);
    });
}

/** `tidemark logout`: removes the stored API key. */
export function registerLogout(program: Command): void {
  program
    .command('logout')
    .summary('remove the stored API key')
    .description('remove the API key that `tidemark login` stored')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark logout'))
    .action(async (options: { json?: boolean }, command: Command) => {
      const { config } = await loadContext(command);
      const { forgetKey, isInEnvironment } = await import('../../config/stored-key.js');
      const removed = forgetKey(config.dataDir);
      const text = removed
        ? 'Removed the stored API key. The API key itself stays valid: if it leaked, have it replaced.'
        : 'No API key is stored.';
      sayResult(options, { removed }, text);
      if (isInEnvironment())
        tell('TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE is still set, so commands use the API key named there.');
    });
}

async function checkKeyInUse({ config, clock }: Awaited<ReturnType<typeof loadContext>>): Promise<void> {
  const [{ findApiKey, keySource }, { connectorWarning, verifyKey }] = await Promise.all([
    import('../../config/stored-key.js'),
    import('./verify-key.js'),
  ]);
  const key = findApiKey(config);
  await verifyKey(config, clock, key);
  say(`${config.api.baseUrl} accepts the API key from ${keySource(config).words}.`);
  const warning = await connectorWarning(config, clock, key);
  if (warning !== null) tell(`! ${warning}`);
}

function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 60) return value;
  throw new InvalidArgumentError('Must be a number of minutes, at most 60.');
}
