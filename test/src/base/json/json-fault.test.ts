import { describe, expect, it } from 'vitest';
import { describeJsonFault, findJsonFault } from '../../../../src/base/json/json-fault.js';
import { JsonError, readJson, readJsonNodes } from '../../../../src/base/json/json-nodes.js';

/** Values that RFC 8259 does not allow, and an encoder that writes them. */
const BAD_VALUES = [
  ['NaN', 'Python json, Gson, Newtonsoft Json'],
  ['Infinity', 'Python json, RapidJSON'],
  ['-Infinity', 'Python json, RapidJSON'],
  ['nan', 'printf of C, Lua cjson'],
  ['-nan(ind)', 'printf of MSVC'],
  ['1.#INF', 'printf of older MSVC'],
  ['Inf', 'R, Perl on Windows'],
  ['undefined', 'templates of JavaScript'],
  ['None', 'templates of Python'],
  ['True', 'templates of Python'],
  ['NULL', 'templates of SQL'],
  ['+1', 'C printf("%+d")'],
  ['01234', 'numbers with leading zeros'],
  ['.5', 'to_char of Oracle'],
  ['5.', 'printf("%#.0f")'],
  ['0x1F', 'JSON5'],
  ['1_000', 'literals of several languages'],
  ['2023-12-31', 'a date without quotes'],
  ['N/A', 'templates'],
] as const;

const MALFORMED = [
  ['{"a":1,}', 8, 'comma before a closing brace'],
  ['[1,2,]', 6, 'comma before a closing bracket'],
  ['[1,,2]', 4, 'missing item'],
  ['{"a":,"b":1}', 6, 'missing value'],
  ['{"a":1 "b":2}', 8, 'missing comma'],
  ['{"a" 1}', 6, 'missing colon'],
  ['{"a":1}{"b":2}', 8, 'two values (NDJSON)'],
  ['{"a":1}\n{"a":1}', 9, 'a value on the next line'],
  ['{"a":1};', 8, 'text after the value'],
  ["{'a':1}", 2, 'repr of Python'],
  ['{a:1}', 2, 'key without quotes'],
  ['{"a":1 /* x */}', 8, 'comment'],
  ['{"a":"\\x41"}', 7, 'unknown escape'],
  ['{"a":"it\\\'s"}', 9, 'escape of JavaScript'],
  ['{"a":"\\u00g0"}', 7, 'wrong escape of a character'],
  ['{"a":"\u0000"}', 7, 'control character in a string'],
  ['{"a":[1}', 8, 'wrong closing bracket'],
  ['{"a":1]', 7, 'wrong closing bracket'],
  ['[1]]', 4, 'one bracket too many'],
] as const;

describe('values that JSON does not allow', () => {
  it.each(BAD_VALUES)('reads %s as one bad value (%s)', (bad) => {
    const text = `{"first":1, "bad": ${bad} ,"list":[${bad},2],"text":"${bad}, ${bad}"}`;
    expect(findJsonFault(text)).toBeNull();
    const number = /^-?Infinity$/.test(bad) ? Number(bad) : Number.NaN;
    expect(readJson(text)).toEqual({ first: 1, bad: number, list: [number, 2], text: `${bad}, ${bad}` });
    const node = readJsonNodes(text);
    expect(node.kind === 'object' && node.members.get('bad')).toEqual({ kind: 'bad', text: bad });
    expect(node.text).toBe(text);
  });

  it('reads raw tabs and line breaks in strings', () => {
    expect(readJson('{"a":"1\t2\r\n3","b\t":NaN}')).toEqual({ a: '1\t2\r\n3', 'b\t': Number.NaN });
  });

  it('keeps __proto__ as a field beside a bad value', () => {
    expect(Object.keys(readJson('{"__proto__":1,"a":NaN}') as object)).toEqual(['__proto__', 'a']);
  });
});

describe('malformed JSON', () => {
  it.each(MALFORMED)('finds the fault of %j at character %i (%s)', (text, character) => {
    const fault = findJsonFault(text);
    expect(fault).toEqual({ kind: 'malformed', at: character - 1, found: text[character - 1] });
    expect(() => readJson(text)).toThrow(JsonError);
    expect(() => readJsonNodes(text)).toThrow(SyntaxError);
  });

  it.each(MALFORMED.filter(([text]) => !text.endsWith(']]')))('stays malformed whatever follows %j', (text) => {
    for (const more of [']', '}', '"', ',1', ':1}', '\\"}'])
      expect(findJsonFault(text + more)?.kind, more).toBe('malformed');
  });

  it('names line and character, and one character of the text', () => {
    const text = '{\n  "a": 1,\n  "b": 2,\n}';
    expect(describeJsonFault(text, findJsonFault(text)!)).toBe('unexpected "}" at line 4, character 1');
  });
});

describe('truncated JSON', () => {
  const WHOLE = '{"a":[1,-2.5e3,{"b":"x\\u00e9\\"y","c":null},NaN,true],"d":{},"e":[], "f":"\\\\"}';

  it.each(Array.from({ length: WHOLE.length - 1 }, (_, i) => WHOLE.slice(0, i + 1)))(
    'takes %j for truncated',
    (text) => {
      expect(findJsonFault(text)).toEqual({ kind: 'truncated', at: text.length, found: '' });
    },
  );

  it('accepts the whole text', () => expect(findJsonFault(WHOLE)).toBeNull());
});
