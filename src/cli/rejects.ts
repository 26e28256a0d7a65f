import { Option, type Command } from 'commander';
import { RETRY_STREAMS } from '../../schemas/streams/streams.js';
import { examples, loadContext } from './context.js';
import { parseCount } from './terminal/port-options.js';
import { printQuery, withPublished } from './with-published.js';

const OPEN = `($stream IS NULL OR stream = $stream) AND ($all OR resolved_at IS NULL)`;

const SUMMARY = `
SELECT stream, reason, count(*) AS rejects, count(DISTINCT entity_id) AS entities, min(first_seen) AS since
FROM ops.rejects
WHERE ${OPEN}
GROUP BY ALL
ORDER BY rejects DESC, stream, reason`;

const LIST = `
SELECT stream, entity_id, reason, path, raw, first_seen, resolved_at
FROM ops.rejects
WHERE ${OPEN}
ORDER BY first_seen DESC, stream, entity_id, path
LIMIT $limit`;

/** `tidemark rejects`: lists values from the API that cannot be used. */
export function registerRejects(program: Command): void {
  const rejects = program
    .command('rejects')
    .summary('list records and values that cannot be used')
    .description('list open rejects: records and values that cannot be used, by reason or one by one')
    .option('--list', 'list the rejects one by one, with the raw value')
    .option('--stream <name>', 'only this stream')
    .option('--all', 'also show resolved rejects')
    .addOption(
      new Option('--limit <rows>', 'maximum number of rejects to show with --list').argParser(parseCount).default(50),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark rejects', 'tidemark rejects --list --stream financials --limit 10'))
    .action(
      async (
        options: { list?: boolean; stream?: string; all?: boolean; limit: number; json?: boolean },
        command: Command,
      ) => {
        await withPublished(command, async (published) => {
          const params = {
            stream: options.stream ?? null,
            all: options.all ? 1 : 0,
            ...(options.list ? { limit: options.limit } : {}),
          };
          await printQuery(published, options.list ? LIST : SUMMARY, {
            json: options.json ?? false,
            empty: 'There are no open rejects.',
            params,
          });
        });
      },
    );
  registerRetry(rejects);
}

/** `tidemark rejects retry`: requests the records with open rejects again. */
function registerRetry(rejects: Command): void {
  rejects
    .command('retry')
    .description('fetch only the records of open rejects again')
    .option('--streams <list>', `comma-separated: ${RETRY_STREAMS.join(', ')}; default all`)
    .option('--market <name>', 'only companies of this market')
    .option('--no-wait', 'start the run and return at once')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark rejects retry', 'tidemark rejects retry --streams financials'))
    .action(async (_: RetryOptions, command: Command) => {
      // The parent command `rejects` also has the option `--json` and reads it first.
      const options = command.optsWithGlobals<RetryOptions>();
      const context = await loadContext(command);
      const [{ parseStreams }, { runAndFollow }, { retryId }, { RetryStream }, { pickMarket }, { dayIn }] =
        await Promise.all([
          import('./terminal/parse-streams.js'),
          import('./runs/run-and-follow.js'),
          import('../../workflows/ids.js'),
          import('../../schemas/pipeline/run.js'),
          import('../config/config.js'),
          import('../base/time/clock.js'),
        ]);
      const streams = parseStreams(options.streams, RetryStream.options);
      const market = options.market === undefined ? null : pickMarket(context.config, options.market).name;
      const date = dayIn('UTC', context.clock.now());
      await runAndFollow(
        context,
        {
          type: 'retryRejects',
          workflowId: retryId({ date, streams, market }),
          input: { streams, ...(market === null ? {} : { market }) },
          market,
          date,
          summary: `Retry of rejects: ${streams.join(', ')}`,
          details: 'Fetches the records of open rejects again, loads, builds the models and publishes.',
        },
        { wait: options.wait, json: options.json ?? false, strict: true, again: 'tidemark rejects retry' },
      );
    });
}

interface RetryOptions {
  streams?: string;
  market?: string;
  wait: boolean;
  json?: boolean;
}
