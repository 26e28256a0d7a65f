import type { Command } from 'commander';
import { reportFile } from '../core/data-folder.js';
import type { ReportFacts } from '../../schemas/pipeline/report.js';
import { examples, loadContext, type CliContext } from '../terminal/context.js';
import { outFile } from '../terminal/out-file.js';
import { say, sayJson } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';

/** `tidemark report`: writes a report about the published warehouse as one HTML file. */
export function registerReport(program: Command): void {
  program
    .command('report')
    .summary('write one HTML file about runs and data')
    .description(
      'write one self-contained HTML file: runs, coverage, forecasts, markets, rejects, schema drift, data dictionary',
    )
    .option('--out <file>', 'file to write; default report.html in the data folder')
    .option('--json', 'print the content of the report as JSON, and write no file')
    .addHelpText('after', examples('tidemark report', 'tidemark report --out report.html', 'tidemark report --json'))
    .action(async (options: { out?: string; json?: boolean }, command: Command) => {
      const context = await loadContext(command);
      if (options.json) return sayJson(await readFacts(context));
      const file = await writeReport(context, options.out);
      say(showPath(file));
    });
}

/**
 * Writes the report of the published warehouse.
 * @returns Path of the file
 */
export async function writeReport(context: CliContext, out?: string): Promise<string> {
  const [{ renderReport }, { writeFileAtomic }, { useOrdinaryMode }] = await Promise.all([
    import('../report/render.js'),
    import('../core/files.js'),
    import('../core/file-modes.js'),
  ]);
  // A report in the data folder is readable only by its owner. A file that `--out` names gets the usual permissions.
  const file = out === undefined ? reportFile(context.config.dataDir) : outFile(out);
  await writeFileAtomic(file, renderReport(await readFacts(context)));
  if (out !== undefined) useOrdinaryMode(file);
  return file;
}

async function readFacts({ config, clock }: CliContext): Promise<ReportFacts> {
  const [{ collectFacts }, { openPublished }, { version }] = await Promise.all([
    import('../report/collect.js'),
    import('../builds/published.js'),
    import('../core/version.js'),
  ]);
  const published = await openPublished(config.dataDir);
  try {
    return await collectFacts(published, { version: version(), now: clock.now() });
  } finally {
    published.close();
  }
}
