/**
 * Reads what docs/configuration.md says about each setting: the items such as "- `api.baseUrl` (required): address of
 * the API". The name of a setting is its path, or in a section such as "`markets[]`" the path from there.
 * @returns first two sentences by path, such as `markets[].name`, without markup
 */
export function readDescriptions(markdown: string): Map<string, string> {
  const found = new Map<string, string>();
  let section = '';
  for (const block of markdown.split(/\n(?=#|- )|\n\n/)) {
    const heading = /^## `([\w[\]]+)`$/m.exec(block);
    if (block.startsWith('#')) section = heading?.[1] ?? '';
    const item = /^- (`[^:]*?): ([^]*)$/.exec(block);
    if (!item) continue;
    const [, names = '', text = ''] = item;
    for (const [, name = ''] of names.matchAll(/`([\w.[\]]+)`/g)) {
      const [top = ''] = name.split(/[.[]/);
      const isPath = name.includes('.') || section === '' || top === section;
      const at = isPath ? name : `${section}.${name}`;
      if (!found.has(at)) found.set(at, plain(text.split(/\n +- /)[0] ?? ''));
    }
  }
  return found;
}

function plain(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim();
  const sentences = line.split(/(?<=[.?!:]) (?=[A-Z`])/).filter((sentence) => !/\bbelow\b|^See |:$/.test(sentence));
  const [first = '', second] = sentences;
  const both = second === undefined ? first : `${first} ${second}`;
  return `${both.charAt(0).toUpperCase()}${both.slice(1)}`;
}
