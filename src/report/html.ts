import { escapeHtml } from '../core/escape-html.js';
import { visibleText } from '../core/visible-text.js';

/** HTML in which all inserted text is escaped. Only the function `html` makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that can be inserted with `html`. Items of an array are joined. Null, undefined and false become empty. */
export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/**
 * Makes a piece of HTML. Escapes inserted values, except values that are Markup. The escaping fits text and quoted
 * attributes.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  return new Markup(strings.map((part, i) => (i === 0 ? part : render(values[i - 1]) + part)).join(''));
}

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(visibleText(String(value)));
  return value.map(render).join('');
}
