import { readProjectFiles } from '../repo/project-files.js';

/** A fenced block of a page. */
export interface Block {
  file: string;
  /** Line of the opening fence, from 1. */
  line: number;
  /** Language after the fence, such as `sh`; empty if there is none. */
  language: string;
  text: string;
}

/** Pages for readers: text by path from the root. */
export const pages = readProjectFiles(
  /^(docs\/.*|examples\/README|sandbox\/README|test\/conformance\/README|README|CONTRIBUTING|SECURITY)\.md$/,
);

/** Returns all fenced blocks of the pages. */
export function readBlocks(): Block[] {
  return [...pages].flatMap(([file, text]) =>
    [...text.matchAll(/^( *)```(\w*)\n([^]*?)^ *```$/gm)].map(
      ({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
        file,
        line: text.slice(0, index).split('\n').length,
        language,
        text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  );
}

/** A command line of a page, such as `npx tidemark status --json`. */
export interface CommandLine {
  /** `file:line` */
  place: string;
  line: string;
}

/** Returns the command lines in fenced blocks of shell code, in units of systemd and in inline code. */
export function readCommandLines(): CommandLine[] {
  const inBlocks = readBlocks()
    .filter(({ language }) => language === 'sh')
    .flatMap(({ file, line, text }) =>
      text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .map((code, i) => ({ place: `${file}:${line + i + 1}`, line: code })),
    );
  const inUnits = readBlocks()
    .filter(({ language }) => language === 'ini')
    .flatMap(({ file, line, text }) =>
      [...text.matchAll(/^ExecStart=\S*\/(tidemark .*)$/gm)].map(([, code = '']) => ({
        place: `${file}:${line}`,
        line: code,
      })),
    );
  const inline = [...pages].flatMap(([file, text]) => {
    const prose = text.replaceAll(/^( *)```[^]*?^ *```$/gm, (block) => block.replaceAll(/[^\n]/g, ''));
    return [...prose.matchAll(/`((?:npx )?tidemark [^`]+|npm run [^`]+)`/g)].map(({ index, 1: code = '' }) => ({
      place: `${file}:${prose.slice(0, index).split('\n').length}`,
      line: code.replaceAll(/\s+/g, ' '),
    }));
  });
  return [...inBlocks, ...inUnits, ...inline];
}

/** Returns the calls of a program in a shell line, each as its arguments. Understands quotes, comments and operators. */
export function callsOf(program: string, line: string): string[][] {
  const words: string[] = [];
  for (const [word] of line.matchAll(
    /(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'#|&;()<>]|(?<=\S)#)+|&&|\|\|?|[;()&]|[<>]+|#.*/g,
  )) {
    if (!word.startsWith('#')) words.push(word);
  }
  const calls: string[][] = [];
  let open: string[] | null = null;
  for (const [i, word] of words.entries()) {
    // `sudo -iu tidemark` names a user.
    const before = words[i - 1];
    if (/^(&&|\|\|?|[;()&]|[<>]+)$/.test(word)) open = null;
    else if (open === null && word === program && before !== '-iu') calls.push((open = []));
    else open?.push(word.replaceAll(/^(["'])([^]*)\1$/g, '$2'));
  }
  return calls;
}
