import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { reportFile } from '../core/data-folder.js';
import type { Published } from '../builds/published.js';
import type { RenderedReport, ReportInput } from '../../schemas/explorer/report.js';
import { examples, loadContext, type CliContext } from '../terminal/context.js';
import { outFile } from '../terminal/out-file.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';

/** `tidemark report`: writes a report about the published warehouse as one HTML file. */
export function registerReport(program: Command): void {
  program
    .command('report')
    .summary('write one HTML file about runs and data')
    .description(
      'write the markets, operations and dictionary of the explorer as one HTML file without scripts, for screens and paper',
    )
    .option('--out <file>', 'file to write; default report.html in the data folder')
    .option('--json', 'print the content of the report as JSON, and write no file')
    .addHelpText('after', examples('tidemark report', 'tidemark report --out report.html', 'tidemark report --json'))
    .action(async (options: { out?: string; json?: boolean }, command: Command) => {
      const context = await loadContext(command);
      if (options.json) {
        const { collectFacts } = await import('../report/collect.js');
        return sayJson(await read(context, collectFacts));
      }
      const file = await writeReport(context, options.out);
      say(showPath(file));
    });
}

/**
 * Writes the report of the published warehouse.
 * @returns Path of the file
 */
export async function writeReport(context: CliContext, out?: string): Promise<string> {
  const [{ collectReport }, { reportPage }, { findUi }, { writeFileAtomic }, { useOrdinaryMode }, { version }] =
    await Promise.all([
      import('../report/collect.js'),
      import('../report/page.js'),
      import('../../bootstrap/ui.mjs'),
      import('../core/files.js'),
      import('../core/file-modes.js'),
      import('../core/version.js'),
    ]);
  const input = await read(context, collectReport);
  const program = pathToFileURL(path.join(await findUi({ log: tell }), 'report.mjs')).href;
  const { renderReport } = (await import(program)) as { renderReport: (input: ReportInput) => RenderedReport };
  // A report in the data folder is readable only by its owner. A file that `--out` names gets the usual permissions.
  const file = out === undefined ? reportFile(context.config.dataDir) : outFile(out);
  await writeFileAtomic(file, reportPage(renderReport(input), version()));
  if (out !== undefined) useOrdinaryMode(file);
  return file;
}

/** Opens the published warehouse and reads the content of the report. */
async function read<T>(
  { config, clock }: CliContext,
  collect: (published: Published, about: { version: string; now: Date }) => Promise<T>,
): Promise<T> {
  const [{ openPublished }, { version }] = await Promise.all([
    import('../builds/published.js'),
    import('../core/version.js'),
  ]);
  const published = await openPublished(config.dataDir);
  try {
    return await collect(published, { version: version(), now: clock.now() });
  } finally {
    published.close();
  }
}
