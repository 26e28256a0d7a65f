import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ConfigSchema } from '../../../src/config/config-schema.js';
import { ROOT } from '../../helpers/processes.js';
import { readDescriptions } from './read-descriptions.js';

/** The schema file, which editors read. */
export const SCHEMA_FILE = path.join(ROOT, 'tidemark.schema.json');

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
}

/** Makes the JSON Schema of tidemark.yaml from the zod schema, with the descriptions of docs/configuration.md. */
export function makeSchema(): Record<string, unknown> {
  const described = readDescriptions(readFileSync(path.join(ROOT, 'docs', 'configuration.md'), 'utf8'));
  const schema = z.toJSONSchema(ConfigSchema, { io: 'input' }) as Node;
  describe(schema, '', described);
  return { title: 'tidemark.yaml', ...schema };
}

/** Text of the schema file. */
export function schemaText(): string {
  return `${JSON.stringify(makeSchema(), null, 2)}\n`;
}

function describe(node: Node, place: string, described: ReadonlyMap<string, string>): void {
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    const at = place === '' ? name : `${place}.${name}`;
    const text = described.get(at);
    if (text !== undefined) inner.description = text;
    if (inner.items?.properties) describe(inner.items, `${at}[]`, described);
    else describe(inner, at, described);
  }
}
