import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../helpers/processes.js';
import { SCHEMA_FILE, schemaText } from './config-schema/make-schema.js';
import { readDescriptions } from './config-schema/read-descriptions.js';

const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as object;
interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** Paths of the settings, such as `markets[].name`. A value that has no settings inside is one setting. */
function settingsOf({ properties, items }: Schema, at = ''): string[] {
  if (items?.properties) return settingsOf(items, `${at}[]`);
  if (properties === undefined) return [at];
  return Object.entries(properties).flatMap(([name, inner]) => settingsOf(inner, at === '' ? name : `${at}.${name}`));
}

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

describe('tidemark.schema.json', () => {
  it('is up to date; otherwise run `npm run config:schema`', () => {
    expect(schema).toEqual(JSON.parse(schemaText()));
  });

  it('has at most 67 settings', () => {
    expect(settingsOf(schema).length).toBeLessThanOrEqual(67);
  });

  it('accepts tidemark.example.yaml', () => {
    const example: unknown = parse(readFileSync(path.join(ROOT, 'tidemark.example.yaml'), 'utf8'));
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ['a missing address', { api: {} }],
    ['a misspelt setting', { api: { baseUrl: 'http://x' }, market: [] }],
    ['an unknown stream', { api: { baseUrl: 'http://x' }, markets: [{ name: 'a', streams: ['financial'] }] }],
  ])('refuses %s', (_what, content) => {
    expect(validate(content)).toBe(false);
  });

  it('describes settings with the words of docs/configuration.md', () => {
    const described = readDescriptions(
      [
        '## `api`',
        '',
        '- `api.a` (1), `api.b` (2): both; see [there](x.md).',
        '',
        '## `markets[]`',
        '',
        '- `name`: the name.',
        '  More.',
      ].join('\n'),
    );
    expect(Object.fromEntries(described)).toEqual({
      'api.a': 'Both; see there.',
      'api.b': 'Both; see there.',
      'markets[].name': 'The name. More.',
    });
    expect(schemaText()).toContain('"description": "Names the market in workflow ids and tables.');
  });
});
