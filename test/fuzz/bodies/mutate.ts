import fc from 'fast-check';
import { readTree, treeOf, writeTree, type Json } from './json-tree.js';

/**
 * Values that have broken loaders: control characters, formulas, paths, SQL, numbers that no double holds, and more.
 */
const AWKWARD: unknown[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '😀\u200d🏴',
  'e\u0301',
  '\u202etxt.exe',
  'مرحبا',
  '\ufeff',
  '\uffff',
  '"',
  "'",
  '\\',
  '\\"',
  "'; DROP TABLE x; --",
  '$1',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '&lt;b&gt;',
  '=1+1',
  '+1',
  '-1',
  '@x',
  '\t',
  '\r\n',
  '\u001b[2J',
  '%00',
  '{}',
  '[]',
  'null',
  'NaN',
  'Infinity',
  'infinity',
  'epoch',
  'true',
  '0000-00-00',
  '0000-01-01',
  '9999-12-31',
  '2023-02-30',
  '2024-02-29',
  '2026-13-01T00:00:00Z',
  '2026-11-20T25:00:00Z',
  '10000-01-01',
  '-0001-01-01',
  '1,234.5',
  '1e5',
  '0x10',
  '٣',
  '1e400',
  '٢٠٢٤',
  '007',
  0,
  -1,
  1.5,
  1e300,
  -1e300,
  5e-324,
  9_007_199_254_740_993n,
  12_345_678_901_234_567_890n,
  123_456_789_012_345_678n,
  true,
  false,
  null,
  [],
  {},
  [[]],
  [null],
  { id: 1 },
  { '': 0 },
  { '0': 'x', '2': 'y' },
  { data: [] },
  { '"': 1, '\\': 2, $: 3, '\u0000': 4 },
];

/** Numbers that only JSON can write. */
const RAW_NUMBERS = ['1e999', '-1e999', '1E+2', '-0', '0.1e-9999', '1.50', '123456789012345678901234567890'];

/** Values that encoders write, although JSON does not allow them. */
const BAD = ['NaN', 'Infinity', '-Infinity', '-nan', 'undefined', 'None', '01', '.5', '+1', 'N/A'];

const KEYS = [
  '',
  ' ',
  '\u0000',
  '"',
  '\\',
  'a\\',
  '\\"',
  '*',
  '$',
  '[0]',
  '/',
  '~',
  '~1',
  '__proto__',
  'constructor',
  'length',
  '2024',
  '1799',
  '2199',
  ' 2024',
  '２０２４',
  'id',
  'data',
  'name',
  'slug',
  'error_name',
  'error_guard',
  'detail',
  '\ud800',
  'x'.repeat(300),
];

/** One mutation of a body; numbers in [0, 1) choose its place. */
export type Mutation =
  | { what: 'replace' | 'repeat' | 'insert'; place: number; value: Json }
  | { what: 'rename'; place: number; key: string }
  | { what: 'remove' | 'wrap in array' | 'wrap in object' | 'as text'; place: number }
  | { what: 'deepen'; place: number; levels: number };

// Evenly distributed: a bias to the ends would always change the whole body.
const place = fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000);
const awkward: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...AWKWARD).map(treeOfAwkward) },
  { weight: 1, arbitrary: fc.constantFrom(...RAW_NUMBERS).map((raw): Json => ({ kind: 'number', raw })) },
  { weight: 1, arbitrary: fc.constantFrom(...BAD).map((raw): Json => ({ kind: 'bad', raw })) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map(treeOf) },
  { weight: 1, arbitrary: fc.double().map((number) => treeOf(Number.isFinite(number) ? number : null)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(treeOf) },
);

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 25, arbitrary: fc.record({ what: fc.constant('replace' as const), place, value: awkward }) },
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constantFrom('repeat' as const, 'insert' as const), place, value: awkward }),
  },
  { weight: 10, arbitrary: fc.record({ what: fc.constant('rename' as const), place, key: fc.constantFrom(...KEYS) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      what: fc.constantFrom('remove' as const, 'wrap in array' as const, 'wrap in object' as const, 'as text' as const),
      place,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('deepen' as const), place, levels: fc.constantFrom(90, 120, 5_000) }),
  },
);

/** Changes of bytes, as a broken or hostile proxy makes them. */
export type Damage =
  | { what: 'none' | 'bom' | 'space' }
  | { what: 'cut' | 'flip' | 'noise'; place: number; bytes: Uint8Array };

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Damage>({ what: 'none' }) },
  { weight: 1, arbitrary: fc.constantFrom<Damage>({ what: 'bom' }, { what: 'space' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom('cut' as const, 'flip' as const, 'noise' as const),
      place,
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    }),
  },
);

/** A valid body with its mutations, as bytes. */
export function mutate(body: unknown, mutations: readonly Mutation[], damaged: Damage): Buffer {
  let tree = readTree(JSON.stringify(body));
  for (const each of mutations) tree = applyMutation(tree, each);
  return applyDamage(Buffer.from(writeTree(tree)), damaged);
}

function applyDamage(bytes: Buffer, damaged: Damage): Buffer {
  switch (damaged.what) {
    case 'none':
      return bytes;
    case 'bom':
      return Buffer.concat([Buffer.from('\ufeff'), bytes]);
    case 'space':
      return Buffer.concat([Buffer.from(' \r\n\t'), bytes, Buffer.from('\n\n')]);
    case 'cut':
      return bytes.subarray(0, Math.floor(bytes.length * damaged.place));
    case 'flip': {
      const copy = Buffer.from(bytes);
      const at = Math.floor(bytes.length * damaged.place);
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (damaged.bytes[0] ?? 1);
      return copy;
    }
    case 'noise': {
      const at = Math.floor(bytes.length * damaged.place);
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(damaged.bytes), bytes.subarray(at)]);
    }
  }
}

/** Changes the node at the chosen place; nodes are counted in text order. */
function applyMutation(tree: Json, change: Mutation): Json {
  let left = Math.floor(change.place * countNodes(tree));
  const walk = (node: Json): Json => {
    if (left-- === 0) return changeNode(node, change);
    if (node.kind === 'array') return { kind: 'array', items: node.items.flatMap((item) => inArray(item)) };
    if (node.kind === 'object') return { kind: 'object', entries: node.entries.flatMap((entry) => inObject(entry)) };
    return node;
  };
  const inArray = (item: Json): Json[] => {
    const here = left === 0;
    const walked = walk(item);
    if (here && change.what === 'remove') return [];
    return here && (change.what === 'insert' || change.what === 'repeat') ? [item, change.value] : [walked];
  };
  const inObject = ([key, value]: [string, Json]): [string, Json][] => {
    const here = left === 0;
    const walked = walk(value);
    if (here && change.what === 'remove') return [];
    if (here && change.what === 'rename') return [[change.key, value]];
    if (here && change.what === 'repeat')
      return [
        [key, value],
        [key, change.value],
      ];
    return [[key, walked]];
  };
  return walk(tree);
}

function changeNode(node: Json, change: Mutation): Json {
  switch (change.what) {
    case 'replace':
      return change.value;
    case 'insert':
      return node.kind === 'array' ? { kind: 'array', items: [change.value, ...node.items] } : node;
    case 'wrap in array':
      return { kind: 'array', items: [node] };
    case 'wrap in object':
      return { kind: 'object', entries: [['data', node]] };
    case 'as text':
      return { kind: 'string', value: writeTree(node) };
    case 'deepen':
      return { kind: 'number', raw: '['.repeat(change.levels) + ']'.repeat(change.levels) };
    case 'repeat':
    case 'rename':
    case 'remove':
      return node;
  }
}

function countNodes(node: Json): number {
  if (node.kind === 'array') return node.items.reduce((sum, item) => sum + countNodes(item), 1);
  if (node.kind === 'object') return node.entries.reduce((sum, [, value]) => sum + countNodes(value), 1);
  return 1;
}

function treeOfAwkward(value: unknown): Json {
  return typeof value === 'bigint' ? { kind: 'number', raw: String(value) } : writeable(value);
}

/** Like treeOf, but keeps lone surrogates, so that they reach the wire. */
function writeable(value: unknown): Json {
  if (typeof value === 'string') return { kind: 'string', value };
  return treeOf(value);
}
