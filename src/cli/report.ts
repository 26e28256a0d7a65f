import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type { Clock } from '../base/time/clock.js';
import { reportFile } from '../store/data-folder.js';
import type { Published } from '../warehouse/builds/published.js';
import type { About } from '../serve/report/collect.js';
import type { RenderedReport, ReportInput } from '../../schemas/explorer/report.js';
import { examples, loadContext } from './context.js';
import { outFile } from './terminal/out-file.js';
import { say, sayJson, tell } from './terminal/print.js';
import { showPath } from './terminal/show-path.js';

interface Options {
  out?: string;
  json?: boolean;
  from?: string;
}

/** The published warehouse to read, and the clock for the time of the report. */
interface Source {
  dataDir: string;
  clock: Clock;
  /** Set if Temporal knows the runs of this data folder. */
  outcomesOf?: About['outcomesOf'];
}

/** `tidemark report`: writes a report about the published warehouse as one HTML file. */
export function registerReport(program: Command): void {
  program
    .command('report')
    .summary('write one HTML file about runs and data')
    .description(
      'write the markets, operations and dictionary of the explorer as one HTML file without scripts, for screens and paper',
    )
    .option('--out <file>', 'file to write; default report.html in the data folder, with --from in the current folder')
    .option('--from <place>', 'read the current version of a bucket (s3://…) or folder to which `publish.to` copies')
    .option('--json', 'print the content of the report as JSON, and write no file')
    .addHelpText(
      'after',
      examples(
        'tidemark report',
        'tidemark report --out report.html',
        'tidemark report --json',
        'tidemark report --from s3://my-bucket/tidemark',
      ),
    )
    .action(async (options: Options, command: Command) => {
      const source = await findSource(options, command);
      if (options.json) {
        const { collectFacts } = await import('../serve/report/collect.js');
        return sayJson(await read(source, collectFacts));
      }
      const file = await writeReport(source, options.from === undefined ? options.out : (options.out ?? 'report.html'));
      say(showPath(file));
    });
}

/** Without `--from`, reads the configuration. With it, downloads the current version and needs no configuration. */
async function findSource({ from }: Options, command: Command): Promise<Source> {
  if (from === undefined) {
    const { config, clock } = await loadContext(command);
    const { askFates } = await import('./ask-fates.js');
    return {
      dataDir: config.dataDir,
      clock,
      outcomesOf: async (runs) => (await askFates(config.dataDir, runs)).outcomes,
    };
  }
  const [{ downloadCurrent }, { createClock }] = await Promise.all([
    import('./copied/open-place.js'),
    import('../base/time/clock.js'),
  ]);
  return { dataDir: (await downloadCurrent(from)).dataDir, clock: createClock() };
}

/**
 * Writes the report of the published warehouse.
 * @returns Path of the file
 */
export async function writeReport(source: Source, out?: string): Promise<string> {
  const [{ collectReport }, { reportPage }, { findUi }, { writeFileAtomic }, { useOrdinaryMode }, { version }] =
    await Promise.all([
      import('../serve/report/collect.js'),
      import('../serve/report/page.js'),
      import('../../bootstrap/ui.mjs'),
      import('../store/files.js'),
      import('../store/file-modes.js'),
      import('../base/version.js'),
    ]);
  const input = await read(source, collectReport);
  const program = pathToFileURL(path.join(await findUi({ log: tell }), 'report.mjs')).href;
  const { renderReport } = (await import(program)) as { renderReport: (input: ReportInput) => RenderedReport };
  // A report in the data folder is readable only by its owner. A file that `--out` names gets the usual permissions.
  const file = out === undefined ? reportFile(source.dataDir) : outFile(out);
  await writeFileAtomic(file, reportPage(renderReport(input), version()));
  if (out !== undefined) useOrdinaryMode(file);
  return file;
}

/** Opens the published warehouse and reads the content of the report. */
async function read<T>(
  { dataDir, clock, outcomesOf }: Source,
  collect: (published: Published, about: About) => Promise<T>,
): Promise<T> {
  const [{ openPublished }, { version }] = await Promise.all([
    import('../warehouse/builds/published.js'),
    import('../base/version.js'),
  ]);
  const published = await openPublished(dataDir);
  try {
    return await collect(published, { version: version(), now: clock.now(), ...(outcomesOf && { outcomesOf }) });
  } finally {
    published.close();
  }
}
