/**
 * A JSON value with its source text. `JSON.parse` alone would round long numbers and hide repeated keys. `repeats` says
 * whether an object has a key twice.
 */
export type JsonNode = { text: string } & (
  | { kind: 'object'; members: ReadonlyMap<string, JsonNode>; repeats: boolean }
  | { kind: 'array'; items: readonly JsonNode[] }
  | { kind: 'string'; value: string }
  | { kind: 'number' | 'boolean' | 'null' }
);

// Matches one token: a string, a number, a word (`true`) or a bracket, comma or colon. Used only for text that
// JSON.parse accepts.
const TOKEN = /[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\n\r"{}[\],:]+|[{}[\],:])[ \t\n\r]*/y;

/**
 * Parses a JSON text. Keeps the text of numbers, and marks objects with a repeated key. Of a repeated key, keeps only
 * the last value.
 * @throws SyntaxError when the text is not JSON
 */
export function readJsonNodes(text: string): JsonNode {
  JSON.parse(text);
  const reader = new NodeReader(text);
  return reader.value();
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
    if (token.startsWith('"')) return { kind: 'string', text: token, value: JSON.parse(token) as string };
    if (token === 'null') return { kind: 'null', text: token };
    return { kind: token === 'true' || token === 'false' ? 'boolean' : 'number', text: token };
  }

  private object(start: number): JsonNode {
    const members = new Map<string, JsonNode>();
    let repeats = false;
    for (this.advance(); this.token !== '}'; this.skip(',')) {
      const key = JSON.parse(this.token) as string;
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
