// The mutants of a folder, as StrykerJS makes and names them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

export interface Mutant {
  file: string;
  mutatorName: string;
  replacement: string;
  /** Lines and columns from 1, as in Stryker's report. */
  location: { start: Position; end: Position };
}

interface Position {
  line: number;
  column: number;
}

const silent = Object.fromEntries(
  ['isTraceEnabled', 'isDebugEnabled', 'isInfoEnabled', 'isWarnEnabled', 'isErrorEnabled', 'isFatalEnabled']
    .map((name): [string, () => boolean] => [name, () => false])
    .concat(['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((name) => [name, () => false])),
) as unknown as ConstructorParameters<typeof Instrumenter>[0];

/** All mutants that Stryker makes of these files. */
export async function listMutants(root: string, files: string[]): Promise<Mutant[]> {
  const sources = files.map((name) => ({ name, mutate: true, content: readFileSync(path.join(root, name), 'utf8') }));
  const { mutants } = await new Instrumenter(silent).instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ fileName, mutatorName, replacement, location: { start, end } }) => ({
      file: fileName,
      mutatorName,
      replacement,
      location: { start: fromOne(start), end: fromOne(end) },
    }));
}

/** Identifies a mutant, because several can start at the same position. */
export function keyOf({ file, mutatorName, replacement, location: { start, end } }: Mutant): string {
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

/** The range as `stryker --mutate` expects it, with columns from 0. It also contains the mutants nested in this one. */
export function rangeOf({ file, location: { start, end } }: Mutant): string {
  return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

function fromOne({ line, column }: Position): Position {
  return { line: line + 1, column: column + 1 };
}
