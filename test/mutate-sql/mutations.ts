/** One small change of a SQL file that some case should notice. */
export interface Mutation {
  line: number;
  /** What kind of change it is. */
  rule: string;
  /** The piece before and after. */
  from: string;
  to: string;
  /** The whole file with the change. */
  text: string;
}

interface Edit {
  at: number;
  length: number;
  to: string;
  rule: string;
}

const FLIPPED: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '=': '<>', '<>': '=' };
const SWAPPED: Record<string, string> = {
  min: 'max', max: 'min', arg_min: 'arg_max', arg_max: 'arg_min', greatest: 'least', least: 'greatest', lag: 'lead', lead: 'lag',
}; // prettier-ignore
/** Tokens that end a condition at the same depth of parentheses. */
const ENDS_CONDITION =
  /^(?:AND|OR|THEN|ELSE|END|WHERE|GROUP|ORDER|HAVING|QUALIFY|WINDOW|UNION|LIMIT|SELECT|FROM|JOIN|LEFT|ANTI|SEMI|CROSS|WHEN|RETURNING|ON|AS|ASC|DESC|NULLS)\b/i;
const ENDS_LIST = /^(?:ROWS|RANGE|LIMIT|UNION|WINDOW|QUALIFY|SELECT|FROM)\b/i;

/** All mutations of a file, in the order of the text; comments, texts in quotes and headers stay as they are. */
export function listMutations(text: string): Mutation[] {
  const code = blank(text);
  const edits = [
    ...flipComparisons(code),
    ...dropConditions(code),
    ...changeOrder(code),
    ...swapFunctions(code),
    ...swapCoalesce(text, code),
    ...replaceAll(code, /\bLEFT JOIN\b/gi, 'LEFT JOIN to JOIN', () => 'JOIN'),
    ...replaceAll(code, /\bUNION ALL\b(?! BY NAME)/gi, 'UNION ALL to UNION', () => 'UNION'),
    ...replaceAll(code, /(?<!\bCREATE )\bOR\b/g, 'OR to AND', () => 'AND'),
  ];
  return edits
    .toSorted((a, b) => a.at - b.at || a.length - b.length)
    .map(({ at, length, to, rule }) => ({
      line: text.slice(0, at).split('\n').length,
      rule,
      from: text.slice(at, at + length).trim(),
      to: to.trim(),
      text: text.slice(0, at) + to + text.slice(at + length),
    }));
}

/** The text with comments, texts in quotes and quoted names replaced by spaces, so that positions stay the same. */
function blank(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|--[^\n]*|'(?:[^']|'')*'|"[^"]*"/g, (hidden) =>
    hidden.replaceAll(/[^\n]/g, hidden.startsWith("'") || hidden.startsWith('"') ? '_' : ' '),
  );
}

function replaceAll(code: string, pattern: RegExp, rule: string, to: (found: string) => string): Edit[] {
  return [...code.matchAll(pattern)].map(({ index, 0: found }) => ({
    at: index,
    length: found.length,
    to: to(found),
    rule,
  }));
}

function flipComparisons(code: string): Edit[] {
  // Neither `->`, `=>` or `:=`, nor an assignment of UPDATE SET or SET VARIABLE.
  const found = [...code.matchAll(/(?<![-<>=:!])(?:<>|<=|>=|<|>|=)(?![<>=])/g)];
  return found
    .filter(({ index }) => !/\b(?:SET|VARIABLE)\s+(?:\w+\s*=[^;]*?,\s*)*\w+\s*$/i.test(lastClause(code, index)))
    .map(({ index, 0: sign }) => ({
      at: index,
      length: sign.length,
      to: FLIPPED[sign] as string,
      rule: 'flip a comparison',
    }));
}

function lastClause(code: string, at: number): string {
  const before = code.slice(Math.max(0, at - 400), at);
  return before.slice(Math.max(before.lastIndexOf(';'), before.search(/\b(?:SET)\b(?![\s\S]*\bSET\b)/i), 0));
}

function dropConditions(code: string): Edit[] {
  return [...code.matchAll(/\bAND\b/g)].flatMap(({ index }) => {
    // `BETWEEN a AND b` is one condition.
    if (
      /\bBETWEEN\s+[^()]*$/i.test(
        code
          .slice(Math.max(0, index - 80), index)
          .split(/\bAND\b/)
          .at(-1) ?? '',
      )
    )
      return [];
    const end = endOf(code, index + 3, ENDS_CONDITION);
    return [{ at: index, length: end - index, to: '', rule: 'drop a condition' }];
  });
}

function changeOrder(code: string): Edit[] {
  const edits: Edit[] = [];
  edits.push(...replaceAll(code, /\bDESC\b/g, 'DESC to ASC', () => 'ASC'));
  edits.push(
    ...replaceAll(code, /\bNULLS (?:FIRST|LAST)\b/g, 'NULLS FIRST or LAST', (found) =>
      found.endsWith('FIRST') ? 'NULLS LAST' : 'NULLS FIRST',
    ),
  );
  for (const { index, 0: word } of code.matchAll(/\bORDER BY\s+/g)) {
    const items = itemsOf(code, index + word.length);
    const last = items.at(-1);
    if (last !== undefined && items.length > 1) {
      const before = items.at(-2) as [number, number];
      edits.push({ at: before[1], length: last[1] - before[1], to: '', rule: 'drop the last tie-break' });
    }
    for (const [from, to] of items) {
      const item = code.slice(from, to);
      if (/\b(?:DESC|ALL)\b/.test(item)) continue;
      const name = /^[\s\S]*?(?=\s+(?:ASC\b|NULLS\b)|\s*$)/.exec(item)?.[0] ?? item;
      edits.push({ at: from + name.length, length: 0, to: ' DESC', rule: 'ASC to DESC' });
    }
  }
  return edits;
}

function swapFunctions(code: string): Edit[] {
  return [...code.matchAll(/\b(\w+)(?=\()/g)].flatMap(({ index, 0: name }) => {
    const to = SWAPPED[name.toLowerCase()];
    return to === undefined ? [] : [{ at: index, length: name.length, to, rule: 'swap a function' }];
  });
}

function swapCoalesce(text: string, code: string): Edit[] {
  return [...code.matchAll(/\bcoalesce\(/gi)].flatMap(({ index, 0: word }) => {
    const [first, second] = itemsOf(code, index + word.length);
    if (first === undefined || second === undefined) return [];
    const [a, b] = [text.slice(...first), text.slice(...second)];
    return [{ at: first[0], length: second[1] - first[0], to: `${b.trim()}, ${a.trim()}`, rule: 'swap coalesce' }];
  });
}

/** The end of the expression that begins here, at the same depth of parentheses. */
function endOf(code: string, from: number, ends: RegExp): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const sign = code[at] as string;
    if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign) && depth-- === 0) return at;
    else if (depth === 0 && (sign === ',' || sign === ';')) return at;
    else if (depth === 0 && /\W/.test(code[at - 1] ?? ' ') && ends.test(code.slice(at, at + 12))) {
      // `IS DISTINCT FROM` does not end an expression.
      if (!/\bDISTINCT\s+$/i.test(code.slice(Math.max(0, at - 12), at))) return at;
    }
  }
  return code.length;
}

/** The items of a list that begins here, each with start and end, without surrounding spaces. */
function itemsOf(code: string, from: number): [number, number][] {
  const items: [number, number][] = [];
  for (let at = from; ;) {
    const end = endOf(code, at, ENDS_LIST);
    const start = at + (/^\s*/.exec(code.slice(at, end))?.[0].length ?? 0);
    items.push([start, start + code.slice(start, end).trimEnd().length]);
    if (code[end] !== ',') return items;
    at = end + 1;
  }
}
