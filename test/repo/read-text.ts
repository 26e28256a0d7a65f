import { parse } from '@babel/parser';

/** A piece of text for readers in a source file. */
export interface Piece {
  file: string;
  /** First and last line, from 1. */
  line: number;
  end: number;
  text: string;
}

const SENTENCE = /[A-Za-z]{2,}[^`]*\s[^`]*[a-z]{2,}[^`]*\s/;

/** Comments of a TypeScript or JavaScript file; adjacent `//` lines are one piece. */
export function readComments(file: string, text: string): Piece[] {
  const pieces: Piece[] = [];
  let last: { line: number; column: number; piece: Piece } | null = null;
  for (const { type, value, loc } of parseSource(file, text).comments ?? []) {
    if (!loc || value.startsWith('!') || /oxlint|prettier|@ts-/.test(value)) continue;
    const cleaned = value.replaceAll(/^\s*\*+ ?/gm, '').trim();
    const { line, column } = loc.start;
    if (type === 'CommentLine' && last?.line === line - 1 && last.column === column) {
      last.piece.text += ` ${cleaned}`;
      last.piece.end = last.line = line;
      continue;
    }
    const piece = { file, line, end: loc.end.line, text: cleaned };
    pieces.push(piece);
    last = type === 'CommentLine' ? { line, column, piece } : null;
  }
  return pieces;
}

/** String literals that read as sentences: messages, help, notes, but no SQL. */
export function readMessages(file: string, text: string): Piece[] {
  const pieces: Piece[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, loc } = node as { type?: string; loc?: Record<'start' | 'end', { line: number }> };
    const said = type === 'StringLiteral' ? (node as { value: string }).value : templateText(node);
    if (said !== null && SENTENCE.test(said) && !/\b(SELECT|FROM|CREATE|INSERT|DELETE|WITH)\b/.test(said))
      pieces.push({ file, line: loc?.start.line ?? 0, end: loc?.end.line ?? 0, text: said.trim() });
    if (type === 'ImportDeclaration') return;
    for (const [key, value] of Object.entries(node)) if (!/omments$|^loc$/.test(key)) visit(value);
  };
  visit(parseSource(file, text).program);
  return pieces;
}

/** Comments of a SQL file, without the header of a model. */
export function readSqlComments(file: string, text: string): Piece[] {
  const body = text.replace(/^\/\*[\s\S]*?\*\//, (header) => header.replaceAll(/[^\n]/g, ' '));
  const pieces: Piece[] = [];
  let open: Piece | undefined;
  for (const [index, line] of body.split('\n').entries()) {
    // Skip `--` in a string literal.
    const said = /^(?:[^'-]|'[^']*'|-(?!-))*--\s?(.*)$/.exec(line)?.[1]?.trim();
    // Lines that hold nothing but a comment continue the comment before them.
    if (said && open && /^\s*--/.test(line)) {
      open.text += ` ${said}`;
      open.end = index + 1;
    } else if (said) pieces.push((open = { file, line: index + 1, end: index + 1, text: said }));
    if (!said || !/^\s*--/.test(line)) open = undefined;
  }
  return pieces;
}

/** Paragraphs of a Markdown file: no headings, tables, lists of links or code. */
export function readParagraphs(file: string, text: string): Piece[] {
  const withoutCode = text.replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ''));
  let next = 1;
  // Code leaves long gaps, so the gaps between blocks are counted too.
  return withoutCode.split(/(\n{2,})/).flatMap((block) => {
    const line = next;
    next += block.split('\n').length - 1;
    const said = block.trim();
    return said === '' || /^[#|<]/.test(said) || said.split(/\s+/).length < 8
      ? []
      : [{ file, line, end: next, text: said }];
  });
}

function parseSource(file: string, text: string): ReturnType<typeof parse> {
  const plugins: ('typescript' | 'decorators' | 'jsx')[] = ['typescript', 'decorators'];
  if (file.endsWith('.tsx')) plugins.push('jsx');
  return parse(text, { sourceType: 'module', plugins, errorRecovery: true });
}

function templateText(node: object): string | null {
  const { type, quasis } = node as { type?: string; quasis?: { value: { cooked?: string } }[] };
  return type === 'TemplateLiteral' ? (quasis ?? []).map(({ value }) => value.cooked ?? '').join('…') : null;
}
