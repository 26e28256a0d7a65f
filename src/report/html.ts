import { visibleText } from '../core/visible-text.js';

/** HTML that is finished: everything in it that came from outside is escaped. Only `html` makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/** A piece of HTML. What is put in is escaped, for text and for quoted attributes alike, unless it is Markup itself. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  return new Markup(strings.map((part, i) => (i === 0 ? part : render(values[i - 1]) + part)).join(''));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number')
    return visibleText(String(value)).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
  return value.map(render).join('');
}
