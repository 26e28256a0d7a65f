import type { Command } from 'commander';
import type { Alert } from '../../schemas/pipeline/alert.js';
import { CAUSES } from '../../schemas/pipeline/cause.js';
import { TidemarkError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { TargetConfig } from '../config/notify-schema.js';
import { formatDuration } from '../../schemas/format.js';
import { examples, loadContext } from './context.js';
import { say, sayJson } from './terminal/print.js';
import { sayTable } from './terminal/say-table.js';

/** `tidemark notify …`: shows and tries the targets of alerts. */
export function registerNotify(program: Command): void {
  const notify = program
    .command('notify')
    .summary('show and try the targets of alerts')
    .description('show and try the targets that get alerts about nights (`notify` in tidemark.yaml)')
    .addHelpText('after', examples('tidemark notify list', 'tidemark notify test', 'tidemark notify test night-mail'));

  notify
    .command('list')
    .summary('list the targets and the variables of their secrets')
    .description('list the targets, the causes for which they get alerts, and the variables that hold their secrets')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark notify list'))
    .action(async (options: { json?: boolean }, command: Command) => {
      const { config } = await loadContext(command);
      const { describeTarget } = await import('../serve/alerts/targets.js');
      const rows = config.notify.map((target) => describeTarget(target));
      if (options.json) return sayJson(rows);
      if (rows.length === 0) return say(`${noTarget(config).message} ${noTarget(config).todo}`);
      sayTable({
        columns: ['target', 'kind', 'to', 'on'],
        rows: rows.map(({ target, kind, to, on }) => [
          target,
          kind,
          to,
          on.length === CAUSES.length ? 'all' : on.join(', '),
        ]),
      });
      for (const { variable, set } of rows.flatMap(({ secrets }) => secrets))
        say(`${variable} ${set ? 'is set' : 'is not set'}`);
    });

  notify
    .command('test [target]')
    .summary('send a test message to each target, or to one')
    .description('send a test message to each target, or to one, and say what happened')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark notify test', 'tidemark notify test night-mail'))
    .action(async (name: string | undefined, options: { json?: boolean }, command: Command) => {
      const { config, clock } = await loadContext(command);
      const { testAlert } = await import('../serve/alerts/test-alert.js');
      const alert = testAlert(config, clock.now());
      const results = await Promise.all(chosen(config, name).map((target) => tryTarget(target, config, alert)));
      if (options.json) sayJson(results);
      else for (const result of results) say(inWords(result));
      if (results.some(({ sent }) => !sent)) process.exitCode = 1;
    });
}

/** Result of a test message at one target. */
interface Tried {
  target: string;
  sent: boolean;
  /** Why the target did not accept the message, or accepted it only in part; null when it accepted all of it. */
  error: string | null;
  /** What to do; null when the target accepted the message. */
  todo: string | null;
  ms: number;
}

function chosen(config: Config, name: string | undefined): TargetConfig[] {
  if (config.notify.length === 0) throw noTarget(config);
  if (name === undefined) return config.notify;
  const found = config.notify.filter((target) => target.name === name);
  if (found.length > 0) return found;
  throw new TidemarkError('InvalidInput', `${config.file} declares no target "${name}".`, {
    todo: `It declares: ${config.notify.map((target) => target.name).join(', ')}.`,
  });
}

function noTarget({ file }: Config): TidemarkError {
  return new TidemarkError('InvalidConfig', `${file} declares no target under \`notify\`.`, {
    todo: 'Declare one; docs/configuration.md shows examples.',
  });
}

async function tryTarget(target: TargetConfig, config: Config, alert: Alert): Promise<Tried> {
  const [{ openTarget }, { keyOf }] = await Promise.all([
    import('../serve/alerts/targets.js'),
    import('../serve/alerts/message.js'),
  ]);
  const began = performance.now();
  const result = (sent: boolean, error: string | null, todo: string | null): Tried => {
    return { target: target.name, sent, error, todo, ms: Math.round(performance.now() - began) };
  };
  try {
    const message = { alert, key: keyOf(alert, target.name), link: null, mayRepeat: false };
    return result(true, await openTarget(target, config).send(message), null);
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return result(false, error.message, error.todo);
  }
}

function inWords({ target, sent, error, todo, ms }: Tried): string {
  const head = `${target}: ${sent ? `sent in ${formatDuration(ms)}` : 'not sent'}`;
  return [`${head}${error === null ? '' : `. ${error}`}`, ...(todo === null ? [] : [`  ${todo}`])].join('\n');
}
