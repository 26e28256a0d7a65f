import { describe, expect, it } from 'vitest';
import { readProjectFiles } from './project-files.js';

const SOURCE = /^(src|schemas|workflows|activities|sandbox|bootstrap|bin|ui\/src)\/.*\.(tsx?|mts|mjs)$/;
/** Files with data only, which may be longer than code. */
const TABLES = /\/data\//;
const HARD_LIMIT = 400;

const texts = readProjectFiles(
  /\.(tsx?|mts|mjs|js|json|ya?ml|md|sql|csv|css|html|sh|toml|txt)$|^(Dockerfile|\.[^/]+|\.ci\/.+)$/,
);

/** `file:line` of every match. */
function findAll(pattern: RegExp): string[] {
  return [...texts].flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}

describe('files of the repository', () => {
  it('finds the files of the repository', () => {
    expect(texts.size).toBeGreaterThan(100);
  });

  it('finds no home folder in any file', () => {
    const homes = [
      String.raw`/home/[a-z][\w-]*/`,
      String.raw`/Users/[A-Za-z][\w-]*/`,
      String.raw`/root/`,
      String.raw`[A-Z]:\\+Users\\+`,
    ];
    expect(
      findAll(new RegExp(`(^|[^\\w.\\]])(${homes.join('|')})`)).filter((hit) => !hit.startsWith('test/repo/hygiene')),
    ).toEqual([]);
  });

  it('finds no package registry in any file', () => {
    // Assembled here, so that this file is no match.
    const hosts = [
      ['registry', 'npmjs', 'org'],
      ['registry', 'yarnpkg', 'com'],
      ['npm', 'pkg', 'github', 'com'],
      ['proxy', 'golang', 'org'],
      ['sum', 'golang', 'org'],
    ];
    expect(findAll(new RegExp(hosts.map((parts) => parts.join('\\.')).join('|')))).toEqual([]);
  });

  it('finds no key or token in any file', () => {
    const secrets =
      /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bgh[pousr]_[A-Za-z0-9]{30,}|\bAKIA[0-9A-Z]{16}\b|_authToken\s*=/;
    expect(findAll(secrets).filter((hit) => !hit.startsWith('test/repo/hygiene'))).toEqual([]);
  });

  it(`limits source files to ${HARD_LIMIT} lines`, () => {
    const long = [...texts].filter(
      ([file, text]) => SOURCE.test(file) && !TABLES.test(file) && text.split('\n').length > HARD_LIMIT,
    );
    expect(long.map(([file]) => file)).toEqual([]);
  });

  it('writes the length of an hour and of a day once', () => {
    const lengths = findAll(/(?<![\d_])(86_?400(_?000)?|3_?600_?000)(?![\d_])/);
    const outside = lengths.filter((hit) => /^(src|workflows|activities)\//.test(hit));
    expect(outside.filter((hit) => !hit.startsWith('src/base/time/time.ts:'))).toEqual([]);
  });

  it('names source files in kebab-case', () => {
    const names = [...texts.keys()].filter((file) => SOURCE.test(file));
    expect(
      names.filter((file) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)+[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.(tsx?|mts|mjs)$/.test(file)),
    ).toEqual([]);
  });

  it('documents every exported function of more than one statement', () => {
    expect(
      [...texts].filter(([file]) => SOURCE.test(file)).flatMap(([file, text]) => findUndocumented(file, text)),
    ).toEqual([]);
  });
});

/** Exported functions without a docblock. */
function findUndocumented(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const name = /^export (?:async )?function\*? (\w+)/.exec(line)?.[1];
    if (name === undefined || lines[index - 1]?.trim().endsWith('*/')) return [];
    if (lines[index + 2] === '}' || line.endsWith('}')) return [];
    // The first signature documents an overload.
    const first = lines.findIndex((other) => new RegExp(`^export (?:async )?function\\*? ${name}\\b`).test(other));
    return first === index ? [`${file}:${index + 1} ${name}`] : [];
  });
}
