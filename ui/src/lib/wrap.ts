/** Breaks a text into lines of at most `letters`, between words where possible. */
export function wrap(text: string, letters: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(...(word.match(new RegExp(`.{1,${letters}}`, 'gs')) ?? ['']));
  }
  return lines.join('\n');
}
