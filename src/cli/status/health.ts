import type { Command } from 'commander';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { examples } from '../context.js';
import { FAILED } from '../terminal/print-error.js';
import { say, sayJson } from '../terminal/print.js';

const ANSWER_WITHIN_MS = 10_000;

/** `tidemark health`: asks a running process whether it is healthy. */
export function registerHealth(program: Command): void {
  program
    .command('health <url>')
    .description('check that a worker or receiver works')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('tidemark health http://127.0.0.1:9464/healthz', 'tidemark health http://127.0.0.1:4020/healthz'),
    )
    .action(async (url: string, options: { json?: boolean }) => {
      const { healthy, text } = await askHealth(url);
      if (options.json) {
        sayJson({ url, healthy, text });
        if (!healthy) process.exitCode = FAILED;
      } else if (healthy) say(text);
      else throw new TidemarkError('Internal', `Not healthy: ${text}`, { todo: 'The log of the process says more.' });
    });
}

/**
 * Returns whether a process says that it is healthy, and the first line of its answer.
 * @throws TidemarkError when nothing answers within 10 s
 */
async function askHealth(url: string): Promise<{ healthy: boolean; text: string }> {
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
  return { healthy: answer.ok, text: line === '' ? `HTTP ${answer.status}` : line };
}
