import type { Command } from 'commander';
import { configOption, examples } from '../context.js';
import { FAILED } from '../terminal/print-error.js';
import { colorsFor, say, sayJson } from '../terminal/print.js';
import type { Finding } from './finding.js';

/** `tidemark doctor`: checks everything a run needs and says how to fix each fault. */
export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check the installation; print a remedy for each fault')
    .description(
      'check configuration, API key, API, Temporal, disk, warehouse, models and the place of publish.to; print a remedy for each fault',
    )
    .option(
      '--connector',
      'also check that the connector application of the API returns the same data as the API (about 20 calls)',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark doctor', 'tidemark doctor --connector --json'))
    .action(async (options: { connector?: boolean; json?: boolean }, command: Command) => {
      const { runChecks } = await import('./run-checks.js');
      const findings = await runChecks(configOption(command), { connector: options.connector ?? false });
      const failed = findings.filter((finding) => finding.state === 'fail').length;
      if (options.json) sayJson(findings);
      else {
        const paint = colorsFor(process.stdout);
        const marks = { ok: paint.green('✔'), warn: paint.yellow('!'), fail: paint.red('✘'), skip: paint.dim('-') };
        const width = Math.max(...findings.map(({ check }) => check.length));
        for (const { check, state, message, todo } of findings) {
          say(`${marks[state]} ${check.padEnd(width)}  ${message.replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`);
          if (todo !== null) say(`${' '.repeat(width + 4)}→ ${todo}`);
        }
        say(`\n${summary(findings)}`);
      }
      if (failed > 0) process.exitCode = FAILED;
    });
}

/** Returns how many checks failed, gave a warning or were not done. */
function summary(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  if (count('fail') > 0) return `${count('fail')} of ${findings.length} checks failed.`;
  const others = [
    ...(count('warn') > 0 ? [`warnings: ${count('warn')}`] : []),
    ...(count('skip') > 0 ? [`not checked: ${count('skip')}`] : []),
  ];
  return others.length === 0 ? 'All checks passed.' : `No check failed; ${others.join(', ')}.`;
}
