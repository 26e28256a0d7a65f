import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeUnseen, visibleInTerminal, visibleLine, visibleText } from '../../../../src/base/text/visible-text.js';

const hostile = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202e\u2066\u200b\ud800\u0000';

describe('visibleText', () => {
  it('shows text on one line, with invisible characters escaped', () => {
    expect(visibleLine(`a\r\nb\tc ${hostile}`)).toBe(
      String.raw`a b c \u001b]0;title\u0007\u001b[2J\u009b31m\u202e\u2066\u200b\ud800\u0000`,
    );
    expect(visibleText('a\r\nb\u0007')).toBe('a\nb\\u0007');
    expect(visibleLine('\u{e0041}')).toBe(String.raw`\udb40\udc41`);
  });

  it('keeps every script, its joiners and emoji', () => {
    const names = ['Übung s.r.o.', 'مرحبا', 'क्\u200dष', '👩‍👩‍👧 🏳️‍🌈', 'e\u0301', '𠜎', 'ＡＢＣ'];
    for (const name of names) expect(visibleInTerminal(visibleLine(name))).toBe(name);
  });

  it('leaves only our own colours, lines and tabs unescaped for the terminal', () => {
    const ours = '\u001b[1m\u001b[38;5;10mdone\u001b[0m\n\tnext\r\n';
    expect(visibleInTerminal(ours)).toBe(ours);
    expect(visibleInTerminal('\u001b[2J\u001b[31Hx\ry')).toBe(String.raw`\u001b[2J\u001b[31Hx\u000dy`);
  });

  it('escapes JSON text without changing its meaning', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = escapeUnseen(JSON.stringify({ text }));
        expect(JSON.parse(shown)).toEqual({ text });
        expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
      }),
    );
  });
});
