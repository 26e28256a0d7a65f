import { describe, expect, it } from 'vitest';
import { wrapLines, wrapWords } from '../../../../src/base/text/wrap.js';

describe('wrapWords', () => {
  it('breaks between words and keeps a longer word whole', () => {
    expect(wrapWords('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapWords('a unbreakable b', 5)).toEqual(['a', 'unbreakable', 'b']);
    expect(wrapWords('', 5)).toEqual(['']);
  });

  it('keeps a command in backticks on one line', () => {
    expect(wrapWords('Start it with `tidemark worker`.', 22)).toEqual(['Start it with', '`tidemark worker`.']);
  });

  it('counts wide letters as two columns and colours as none', () => {
    expect(wrapWords('새벽 새벽', 4)).toEqual(['새벽', '새벽']);
    expect(wrapWords('\u001b[33mred\u001b[39m two', 7)).toEqual(['\u001b[33mred\u001b[39m two']);
  });
});

describe('wrapLines', () => {
  it('indents what follows below the text after a label', () => {
    expect(wrapLines('Workers    one two three', 20)).toBe('Workers    one two\n           three');
    expect(wrapLines('  ! one two three', 10)).toBe('  ! one\n    two\n    three');
  });

  it('leaves lines that fit and other lines as they are', () => {
    expect(wrapLines('a  b   c\n\n  d', 10)).toBe('a  b   c\n\n  d');
    expect(wrapLines('a  b   c', Infinity)).toBe('a  b   c');
  });
});

it('puts a long path on its own line if it fits only there', () => {
  const path = `/srv/${'a'.repeat(45)}`;
  expect(wrapLines(`✔ warehouse      ${path}`, 60)).toBe(`✔ warehouse\n${path}`);
  expect(wrapLines(`✔ warehouse      ${path}`, 40)).toBe(`✔ warehouse      ${path}`);
});
