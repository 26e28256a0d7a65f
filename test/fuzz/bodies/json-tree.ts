/*
 * JSON as a tree that keeps what JSON.parse throws away: repeated keys, and numbers as they are written. It is what the
 * fuzzer changes and what the oracle reads, so that neither leans on the readers under test.
 */
export type Json =
  | { kind: 'object'; entries: [key: string, value: Json][] }
  | { kind: 'array'; items: Json[] }
  | { kind: 'string'; value: string }
  | { kind: 'number'; raw: string }
  | { kind: 'word'; raw: 'true' | 'false' | 'null' };

/** Reads a text that JSON.parse takes. Halves of surrogate pairs become U+FFFD: no text can hold them. */
export function readTree(text: string): Json {
  let at = 0;
  const space = (): void => {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at++;
  };
  const string = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    return Buffer.from(JSON.parse(text.slice(start, at)) as string).toString('utf8');
  };
  const value = (): Json => {
    space();
    const first = text[at];
    if (first === '"') return { kind: 'string', value: string() };
    if (first === '[') {
      const items: Json[] = [];
      for (at++, space(); text[at] !== ']'; space()) {
        if (text[at] === ',') at++;
        items.push(value());
        space();
      }
      at++;
      return { kind: 'array', items };
    }
    if (first === '{') {
      const entries: [string, Json][] = [];
      for (at++, space(); text[at] !== '}'; space()) {
        if (text[at] === ',') at++;
        space();
        const key = string();
        space();
        at++; // the colon
        entries.push([key, value()]);
        space();
      }
      at++;
      return { kind: 'object', entries };
    }
    const raw = /[^\s,\]}]+/y;
    raw.lastIndex = at;
    const word = raw.exec(text)?.[0] ?? '';
    at += word.length;
    return word === 'true' || word === 'false' || word === 'null'
      ? { kind: 'word', raw: word }
      : { kind: 'number', raw: word };
  };
  return value();
}

/** The tree as text. */
export function writeTree(tree: Json): string {
  if (tree.kind === 'object')
    return `{${tree.entries.map(([key, value]) => `${JSON.stringify(key)}:${writeTree(value)}`).join(',')}}`;
  if (tree.kind === 'array') return `[${tree.items.map(writeTree).join(',')}]`;
  return tree.kind === 'string' ? JSON.stringify(tree.value) : tree.raw;
}

/** A value of JavaScript as a tree. */
export function treeOf(value: unknown): Json {
  return readTree(JSON.stringify(value) ?? 'null');
}

/** The value of a key; undefined when there is none or it is no object. The first of repeated ones. */
export function member(tree: Json | undefined, key: string): Json | undefined {
  return tree?.kind === 'object' ? tree.entries.find(([name]) => name === key)?.[1] : undefined;
}

/** Whether an object has a key twice. */
export function repeats(tree: Json): boolean {
  return tree.kind === 'object' && new Set(tree.entries.map(([key]) => key)).size < tree.entries.length;
}
