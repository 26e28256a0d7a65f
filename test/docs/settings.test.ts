import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/processes.js';
import { makeSchema } from '../repo/config-schema/make-schema.js';

/* Compares docs/configuration.md with the settings that Tidemark reads. tidemark.schema.json has its descriptions. */

interface Node {
  default?: unknown;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
  oneOf?: Node[];
}

/** A setting: its path without `[]`, such as `markets.name`. */
interface Setting {
  path: string[];
  byDefault: unknown;
}

const page = readFileSync(path.join(ROOT, 'docs', 'configuration.md'), 'utf8');
const settings = listSettings(makeSchema());

function listSettings(node: Node, place: string[] = []): Setting[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, inner]) => {
    const below = listSettings(inner, [...place, name]);
    return [...(below.length === 0 ? [{ path: [...place, name], byDefault: inner.default }] : []), ...below];
  });
  const others = [node.items, ...(node.anyOf ?? []), ...(node.oneOf ?? [])].filter((one) => one !== undefined);
  return [...own, ...others.flatMap((one) => listSettings(one, place))];
}

/** Code of a text: inline code and fenced blocks. */
function codeOf(text: string): string {
  return [...text.matchAll(/```[^]*?```|`[^`]+`/g)].map(([code]) => code).join('\n');
}

it('docs/configuration.md names every setting in the section of its first word', () => {
  expect(settings.length).toBeGreaterThan(60);
  const sections = page.split(/^(?=## )/m);
  const missing = settings.filter(({ path: [top = '', ...rest] }) => {
    // Other schedules are as those of markets.
    const home = rest[0] === 'schedule' ? 'markets' : top;
    const own = sections.filter((section) => new RegExp(`^## .*\`${home}(\\[\\])?\``).test(section));
    const name = rest.at(-1) ?? top;
    return !own.some((section) => new RegExp(`\\b${name}\\b`).test(codeOf(section)));
  });
  expect(missing.map(({ path: names }) => names.join('.'))).toEqual([]);
});

it('docs/configuration.md states the defaults that apply', () => {
  const stated = new Map(
    [...page.matchAll(/^- `([\w.[\]]+)` \(`?([^`\s]+)`?\)/gm)].map(([, name = '', value = '']) => [
      name.replaceAll('[]', ''),
      value,
    ]),
  );
  const both = settings.flatMap(({ path: names, byDefault }) => {
    const value =
      stated.get(names.join('.')) ?? (names[0] === 'markets' ? stated.get(names.slice(1).join('.')) : undefined);
    const isPlain = ['string', 'number', 'boolean'].includes(typeof byDefault);
    return value === undefined || !isPlain ? [] : [{ name: names.join('.'), value, byDefault: String(byDefault) }];
  });
  expect(both.length).toBeGreaterThan(15);
  expect(both.filter(({ value, byDefault }) => value.replaceAll(',', '') !== byDefault)).toEqual([]);
});
