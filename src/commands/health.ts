import type { Command } from 'commander';
import { errorMessage, TidemarkError } from '../core/errors.js';
import { examples } from '../terminal/context.js';
import { say } from '../terminal/print.js';

const ANSWER_WITHIN_MS = 10_000;

/** `tidemark health`: asks a running process whether it is healthy. */
export function registerHealth(program: Command): void {
  program
    .command('health <url>')
    .description('check that a worker or receiver works')
    .addHelpText(
      'after',
      examples('tidemark health http://127.0.0.1:9464/healthz', 'tidemark health http://127.0.0.1:4020/healthz'),
    )
    .action(async (url: string) => say(await askHealth(url)));
}

/**
 * Returns the first line of a healthy answer.
 * @throws TidemarkError for any other answer, or none within 10 s
 */
async function askHealth(url: string): Promise<string> {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new TidemarkError('InvalidInput', `"${url}" is not an http address.`, {
      todo: 'Give the address of the health check, such as http://127.0.0.1:9464/healthz.',
    });
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch((error: unknown) => {
    throw new TidemarkError('Internal', `Nothing answers at ${url}: ${errorMessage(error)}.`, {
      todo: 'Check that the process runs. A worker answers only with --metrics-port or `metrics.port`.',
      cause: error,
    });
  });
  const [line = ''] = (await answer.text()).split('\n', 1);
  if (answer.ok) return line === '' ? 'healthy' : line;
  throw new TidemarkError('Internal', `Not healthy: ${line === '' ? `HTTP ${answer.status}` : line}`, {
    todo: 'The log of the process says more.',
  });
}
