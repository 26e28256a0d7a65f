import { describe, expect, it } from 'vitest';
import { ValueFinder } from '../../../src/privacy/value-finder.js';
import { valuesOf } from '../../../src/privacy/values.js';

const found = (values: string[], text: string): string[] => {
  const result = new Set<string>();
  new ValueFinder(values).find(Buffer.from(text), result);
  return [...result];
};

describe('ValueFinder', () => {
  it.each([
    ['plain', 'a Žofie b'],
    ['at the start and end', 'Žofie'],
    ['as JSON with ASCII only', String.raw`"\u017dofie"`],
    ['after an escaped line break', String.raw`"x\nŽofie"`],
    ['next to punctuation', '<b>Žofie</b>'],
  ])('finds a value %s', (_, text) => {
    expect(found(['Žofie'], text)).toEqual(['Žofie']);
  });

  it('finds whole words only', () => {
    expect(found(['Mark', 'jan@x.example'], 'Markets, Denmark, marjan@x.example, jan@x.examples')).toEqual([]);
  });

  it('finds many values with the same start', () => {
    const values = Array.from({ length: 500 }, (_, i) => `+45 77 ${1_000 + i}`);
    expect(found(values, `x ${values.join('; ')} y`).toSorted()).toEqual(values);
  });

  it('finds quotes and ampersands as JSON and HTML write them', () => {
    const value = 'Say "A & B"';
    expect(found([value], String.raw`{"a":"Say \"A & B\""}`)).toEqual([value]);
    expect(found([value], '<p>Say &quot;A &amp; B&quot;</p>')).toEqual([value]);
    const name = "Ann O'Hara & Son";
    expect(found([name], '<td>Ann O&#39;Hara &amp; Son</td>')).toEqual([name]);
    expect(found([name], "<td>Ann O'Hara &amp; Son</td>")).toEqual([name]);
  });
});

describe('valuesOf', () => {
  it('lists texts, texts between tags and long numbers, without short ones', () => {
    const body = { a: 'Anna', b: ['<em>Bo Dahl</em> left', 'ab', 'Ž'], c: { d: 1234567, e: 12345, f: '12345' } };
    expect([...valuesOf(JSON.stringify(body))].toSorted()).toEqual(
      ['1234567', '<em>Bo Dahl</em> left', 'Anna', 'Bo Dahl', 'left'].toSorted(),
    );
    expect(valuesOf('no JSON').size).toBe(0);
  });
});
