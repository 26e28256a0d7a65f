import { visibleText } from '../core/visible-text.js';

/** Finished HTML, in which all outside text is escaped. Made only by `html`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that `html` accepts. Arrays are joined; null, undefined and false give nothing. */
export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/** Makes a piece of HTML. Escapes inserted values for text and quoted attributes, except values that are Markup. */
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
