/*
 * JSON as a tree that keeps what JSON.parse loses: repeated keys and the notation of numbers. The fuzzer and the oracle
 * use it, so they do not depend on the readers under test.
 */
export type Json =
  | { kind: 'object'; entries: [key: string, value: Json][] }
  | { kind: 'array'; items: Json[] }
  | { kind: 'string'; value: string }
  | { kind: 'number'; raw: string }
  | { kind: 'word'; raw: 'true' | 'false' | 'null' }
  | { kind: 'bad'; raw: string };

/**
 * Reads any text that JSON.parse accepts, and texts with bad values (NaN) or with raw tabs and line breaks in strings.
 * Lone surrogates become U+FFFD, because no text can hold them.
 */
export function readTree(text: string): Json {
  let at = 0;
  const space = (): void => {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at++;
  };
  const string = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    const token = text.slice(start, at).replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    return Buffer.from(JSON.parse(token) as string).toString('utf8');
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
    if (word === 'true' || word === 'false' || word === 'null') return { kind: 'word', raw: word };
    const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word);
    return { kind: isNumber ? 'number' : 'bad', raw: word };
  };
  return value();
}

/** Writes the tree as text. */
export function writeTree(tree: Json): string {
  if (tree.kind === 'object')
    return `{${tree.entries.map(([key, value]) => `${JSON.stringify(key)}:${writeTree(value)}`).join(',')}}`;
  if (tree.kind === 'array') return `[${tree.items.map(writeTree).join(',')}]`;
  return tree.kind === 'string' ? JSON.stringify(tree.value) : tree.raw;
}

/** Converts a JavaScript value to a tree. */
export function treeOf(value: unknown): Json {
  return readTree(JSON.stringify(value) ?? 'null');
}

/** The value of a key, the first if repeated; undefined if there is none or it is no object. */
export function member(tree: Json | undefined, key: string): Json | undefined {
  return tree?.kind === 'object' ? tree.entries.find(([name]) => name === key)?.[1] : undefined;
}

/** Whether an object repeats a key. */
export function repeats(tree: Json): boolean {
  return tree.kind === 'object' && new Set(tree.entries.map(([key]) => key)).size < tree.entries.length;
}
