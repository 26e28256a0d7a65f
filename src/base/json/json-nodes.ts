import { isListKeys } from '../../../schemas/v2/empty-shapes.js';
import { requireBounded } from './json-bounds.js';
import { findJsonFault, type JsonFault } from './json-fault.js';

/**
 * A JSON value with its source text. `JSON.parse` alone would round long numbers and hide repeated keys. `repeats` says
 * whether an object has a key twice. `bad` is a value that JSON does not allow, such as `NaN` (see json-fault.ts).
 */
export type JsonNode = { text: string } & (
  | { kind: 'object'; members: ReadonlyMap<string, JsonNode>; repeats: boolean }
  | { kind: 'array'; items: readonly JsonNode[] }
  | { kind: 'string'; value: string }
  | { kind: 'number' | 'boolean' | 'null' | 'bad' }
);

/** A text is not JSON. `fault` says where, and whether more text could make it JSON. */
export class JsonError extends SyntaxError {
  constructor(readonly fault: JsonFault) {
    super(`${fault.kind} JSON at character ${fault.at + 1}`);
    this.name = 'JsonError';
  }
}

// Matches one token: a string, a number, a word (`true`) or a bracket, comma or colon. Used only for text without a
// JsonFault.
const TOKEN = /[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\n\r"{}[\],:]+|[{}[\],:])[ \t\n\r]*/y;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses a JSON text. Keeps the text of numbers, and marks objects with a repeated key. Of a repeated key, keeps only
 * the last value.
 * @throws JsonError when the text is not JSON; ExcessError when it exceeds a bound
 */
export function readJsonNodes(text: string): JsonNode {
  requireBounded(text);
  if (!isJson(text)) requireReadable(text);
  const reader = new NodeReader(text);
  return reader.value();
}

/**
 * Parses a JSON text. A bad value becomes NaN, so that no schema accepts it; Infinity and -Infinity stay what they are.
 * @throws JsonError when the text is not JSON; ExcessError when it exceeds a bound
 */
export function readJson(text: string): unknown {
  requireBounded(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    requireReadable(text);
    return valueOf(new NodeReader(text).value());
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function requireReadable(text: string): void {
  const fault = findJsonFault(text);
  if (fault !== null) throw new JsonError(fault);
}

function valueOf(node: JsonNode): unknown {
  if (node.kind === 'object')
    return Object.fromEntries([...node.members].map(([key, member]) => [key, valueOf(member)]));
  if (node.kind === 'array') return node.items.map(valueOf);
  if (node.kind === 'string') return node.value;
  return node.kind === 'bad'
    ? Number(node.text === '-Infinity' || node.text === 'Infinity' ? node.text : NaN)
    : JSON.parse(node.text);
}

/**
 * Returns the items of a list, also of an empty list in another shape (`{}`, `""`, `null`), and of a list with gaps that
 * was written as an object (`{"0":…,"2":…}`). Returns null if the value is no list.
 */
export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] | null {
  if (node === undefined) return null;
  if (node.kind === 'array') return node.items;
  if (isBlankNode(node)) return [];
  const isList = node.kind === 'object' && !node.repeats && isListKeys([...node.members.keys()]);
  return isList ? [...node.members.values()] : null;
}

/** Whether an object in a value has a key twice. The value then lacks what the text says first. */
export function repeatsKey(node: JsonNode): boolean {
  if (node.kind === 'array') return node.items.some(repeatsKey);
  return node.kind === 'object' && (node.repeats || [...node.members.values()].some(repeatsKey));
}

/** Whether a value has no content (schemas/v2/empty-shapes.ts). */
function isBlankNode(node: JsonNode): boolean {
  if (node.kind === 'string') return /^[ \t\n\r]*$/.test(node.value);
  return node.kind === 'null' || node.text === 'false' || (node.kind === 'object' && node.members.size === 0);
}

class NodeReader {
  private at = 0;
  private token = '';
  /** Start and end of the current token in `text`, without surrounding white space. */
  private start = 0;
  private end = 0;

  constructor(private readonly text: string) {
    this.advance();
  }

  value(): JsonNode {
    const { token, start } = this;
    if (token === '{') return this.object(start);
    if (token === '[') return this.array(start);
    this.advance();
    if (token.startsWith('"')) return { kind: 'string', text: token, value: readString(token) };
    if (token === 'null') return { kind: 'null', text: token };
    if (token === 'true' || token === 'false') return { kind: 'boolean', text: token };
    return { kind: NUMBER.test(token) ? 'number' : 'bad', text: token };
  }

  private object(start: number): JsonNode {
    const members = new Map<string, JsonNode>();
    let repeats = false;
    for (this.advance(); this.token !== '}'; this.skip(',')) {
      const key = readString(this.token);
      this.advance();
      this.skip(':');
      repeats ||= members.has(key);
      members.set(key, this.value());
    }
    return { kind: 'object', text: this.close(start), members, repeats };
  }

  private array(start: number): JsonNode {
    const items: JsonNode[] = [];
    for (this.advance(); this.token !== ']'; this.skip(',')) items.push(this.value());
    return { kind: 'array', text: this.close(start), items };
  }

  private close(start: number): string {
    const { end } = this;
    this.advance();
    return this.text.slice(start, end);
  }

  private skip(sign: string): void {
    if (this.token === sign) this.advance();
  }

  private advance(): void {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    this.token = found?.[1] ?? '';
    this.start = this.at + (found?.[0].indexOf(this.token) ?? 0);
    this.end = this.start + this.token.length;
    this.at += found?.[0].length ?? 0;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Reads a string token. It may contain raw tabs and line breaks, which JSON.parse does not accept. */
function readString(token: string): string {
  return JSON.parse(token.replaceAll(/[\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign)) as string;
}
