import { html, type Markup } from './html.js';
import { count } from './words.js';

/* Charts as SVG without scripts. The title of each mark shows its value. Colours are classes of the style sheet. */

const WIDTH = 520;
const HEIGHT = 210;
const LEFT = 58;
const BOTTOM = 28;
const TOP = 12;

/** The values of one line, or of the bars with one colour. */
export interface Series {
  name: string;
  /** One value for each label; null if the label has no value. */
  values: (number | null)[];
}

interface Frame {
  y: (value: number) => number;
  axes: Markup;
}

/** Draws one line for each series. The axis starts near the smallest value, so that changes are visible. */
export function lineChart(title: string, labels: string[], series: Series[]): Markup {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((high - low) * 0.15, high * 0.01, 1);
  const { y, axes } = frame(Math.max(0, low - room), high + room, labels);
  const x = (i: number): number => position(i + 0.5, labels.length);
  const lines = series.map(({ name, values: own }, s) => {
    const points = own.flatMap((value, i) => (value === null ? [] : [{ value, i }]));
    const path = points.map(({ value, i }, n) => `${n === 0 ? 'M' : 'L'}${round(x(i))} ${round(y(value))}`).join('');
    return html`<path class="line s${s % 6}" d="${path}" />${points.map(
        ({ value, i }) =>
          html`<circle
            class="dot s${s % 6}"
            cx="${round(x(i))}"
            cy="${round(y(value))}"
            r="${labels.length > 40 ? 2 : 3.5}"
            ><title>${name}, ${labels[i]}: ${count(value)}</title></circle
          >`,
      )}`;
  });
  return figure(title, series, html`${axes}${lines}`);
}

/** Draws the bars of all series next to each other for each label. */
export function barChart(title: string, labels: string[], series: Series[]): Markup {
  const high = Math.max(1, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const { y, axes } = frame(0, high * 1.08, labels);
  const slot = (WIDTH - LEFT) / Math.max(labels.length, 1);
  const width = Math.min(28, (slot * 0.76) / series.length);
  const bars = labels.map((label, i) =>
    series.map(({ name, values }, s) => {
      const value = values[i] ?? null;
      if (value === null) return null;
      const left = position(i + 0.5, labels.length) + (s - series.length / 2) * width;
      const height = Math.max(y(0) - y(value), value > 0 ? 1 : 0);
      return html`<rect
        class="bar s${s % 6}"
        x="${round(left)}"
        y="${round(y(0) - height)}"
        width="${round(Math.max(1, width - 1.5))}"
        height="${round(height)}"
        rx="1.5"
        ><title>${name}, ${label}: ${count(value)}</title></rect
      >`;
    }),
  );
  return figure(title, series, html`${axes}${bars}`);
}

/** Draws the parts of a whole as one bar. `kind` is a class of the style sheet. */
export function shareBar(parts: { name: string; value: number; kind: string }[]): Markup {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  let at = 0;
  const bars = parts.map(({ name, value, kind }) => {
    // Keep even the smallest part visible.
    const width = total === 0 ? 0 : Math.max((value / total) * WIDTH, value > 0 ? 3 : 0);
    const bar = html`<rect class="${kind}" x="${round(at)}" y="0" width="${round(width)}" height="18"
      ><title>${name}: ${count(value)}</title></rect
    >`;
    at += width;
    return bar;
  });
  return html`<svg
    class="share"
    viewBox="0 0 ${round(Math.max(at, WIDTH))} 18"
    preserveAspectRatio="none"
    role="img"
    aria-label="${parts.map(({ name, value }) => `${name} ${count(value)}`).join(', ')}"
  >
    ${bars}
  </svg>`;
}

/** Draws the value of a table cell as a bar. The length is relative to the largest value of the column. */
export function tinyBar(value: number, most: number, kind = 's0'): Markup {
  const width = most <= 0 ? 0 : Math.max((value / most) * 100, value > 0 ? 1 : 0);
  return html`<svg class="tiny" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="8" rx="2" />
    <rect class="bar ${kind}" width="${round(width)}" height="8" rx="2" />
  </svg>`;
}

/** Draws a line without axes. */
export function sparkline(values: number[]): Markup {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number): number => (high === low ? 16 : 28 - ((value - low) / (high - low)) * 24);
  const x = (i: number): number => (values.length === 1 ? 100 : (i / (values.length - 1)) * 200);
  const path = values.map((value, i) => `${i === 0 ? 'M' : 'L'}${round(x(i))} ${round(y(value))}`).join('');
  return html`<svg class="spark" viewBox="-4 0 208 32" aria-hidden="true">
    <path class="line s0" d="${path}" />
    <circle class="dot s0" cx="${round(x(values.length - 1))}" cy="${round(y(values.at(-1) ?? 0))}" r="3" />
  </svg>`;
}

function frame(low: number, high: number, labels: string[]): Frame {
  const y = (value: number): number => TOP + (1 - (value - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const grid = ticks(low, high).map(
    (tick) =>
      html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${round(y(tick))}" y2="${round(y(tick))}" /><text
          class="tick"
          x="${LEFT - 8}"
          y="${round(y(tick) + 4)}"
          text-anchor="end"
          >${count(tick)}</text
        >`,
  );
  const every = Math.ceil(labels.length / 6);
  const names = labels.map((label, i) =>
    // Always show the last label, because readers look for the latest day.
    (labels.length - 1 - i) % every === 0
      ? html`<text class="tick" x="${round(position(i + 0.5, labels.length))}" y="${HEIGHT - 8}" text-anchor="middle"
          >${label}</text
        >`
      : null,
  );
  return { y, axes: html`${grid}${names}` };
}

function position(i: number, of: number): number {
  return LEFT + (i / Math.max(of, 1)) * (WIDTH - LEFT);
}

/** Returns about four round numbers from `low` to `high`. */
export function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 4;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough);
  const found: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) found.push(tick);
  return found;
}

function figure(title: string, series: Series[], content: Markup): Markup {
  const legend = series.map(
    ({ name }, i) =>
      html`<li>
        <svg viewBox="0 0 10 10" aria-hidden="true"><rect class="bar s${i % 6}" width="10" height="10" rx="2" /></svg
        >${name}
      </li>`,
  );
  return html`<figure>
    <figcaption>
      ${title}
      <ul class="legend">
        ${legend}
      </ul>
    </figcaption>
    <svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${content}</svg>
  </figure>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
