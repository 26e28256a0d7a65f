import { parse } from '@babel/parser';

/** A function of a source file, whatever its form. */
export interface FunctionSize {
  /** Its name, or that of the property or variable that holds it; empty without one. */
  name: string;
  /** First line, from 1. */
  line: number;
  lines: number;
  parameters: number;
}

interface Node {
  type?: string;
  loc?: { start: { line: number }; end: { line: number } };
  id?: { name?: string } | null;
  key?: { name?: string; id?: { name?: string } };
  params?: unknown[];
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ObjectMethod']);

/** Lists the functions of a TypeScript file, nested ones included. */
export function readFunctions(text: string): FunctionSize[] {
  const found: FunctionSize[] = [];
  const visit = (value: unknown, holder: string): void => {
    if (Array.isArray(value)) return value.forEach((each) => visit(each, holder));
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    const name = node.id?.name ?? node.key?.name ?? node.key?.id?.name ?? holder;
    const isFunction = FUNCTIONS.has(node.type ?? '') || /^Class(?:Private)?Method$/.test(node.type ?? '');
    if (isFunction && node.loc) {
      const { start, end } = node.loc;
      found.push({ name, line: start.line, lines: end.line - start.line + 1, parameters: node.params?.length ?? 0 });
    }
    for (const child of Object.values(node)) visit(child, isFunction ? '' : name);
  };
  visit(parse(text, { sourceType: 'module', plugins: ['typescript'] }).program, '');
  return found;
}
