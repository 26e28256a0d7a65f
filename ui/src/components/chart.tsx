import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { ScrollRegion } from './basics.js';
import { THEME_CHANGED } from '../lib/theme.js';

/** Colours of the page, read from its style sheet. */
export interface Palette {
  ink: string;
  soft: string;
  edge: string;
  panel: string;
  good: string;
  warn: string;
  bad: string;
  series: string[];
}

/**
 * A chart. Its numbers are also there as a table, for screen readers and for copying.
 * @param option makes the option of ECharts from the colours of the page
 */
export function Chart({
  title,
  height = 260,
  option,
  table,
  onPick,
  aside,
}: {
  title: string;
  height?: number;
  option: (palette: Palette) => EChartsCoreOption;
  table?: { columns: string[]; rows: (string | number)[][] };
  /** Called with the data of a clicked mark. */
  onPick?: (data: { name: string; seriesName: string; data: unknown }) => void;
  aside?: ComponentChildren;
}): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>();
  const [theme, setTheme] = useState(0);
  const key = JSON.stringify(table?.rows ?? title);
  useEffect(() => {
    const renew = (): void => setTheme((n) => n + 1);
    window.addEventListener(THEME_CHANGED, renew);
    return () => window.removeEventListener(THEME_CHANGED, renew);
  }, []);
  useEffect(() => {
    let gone = false;
    const element = holder.current;
    if (element === null) return undefined;
    const watcher = new ResizeObserver(() => chart.current?.resize());
    const draw = async (): Promise<void> => {
      const { init } = await import('../lib/echarts.js');
      if (gone) return;
      chart.current ??= init(element);
      if (onPick !== undefined) {
        chart.current.off('click');
        chart.current.on('click', (event) =>
          onPick({ name: event.name, seriesName: event.seriesName ?? '', data: event.data }),
        );
      }
      chart.current.setOption(withDefaults(option(readPalette())), true);
      watcher.observe(element);
    };
    void draw();
    return () => {
      gone = true;
      watcher.disconnect();
    };
  }, [key, theme]);
  useEffect(() => () => chart.current?.dispose(), []);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        {aside}
      </figcaption>
      <div ref={holder} class="canvas" style={{ height: `${height}px` }} role="img" aria-label={title} />
      {table !== undefined && (
        <details>
          <summary>Numbers as a table</summary>
          <ScrollRegion label={`${title}: numbers`}>
            <table>
              <thead>
                <tr>
                  {table.columns.map((name) => (
                    <th scope="col" key={name}>
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {table.rows.map((row, i) => (
                  <tr key={i}>
                    {row.map((value, j) => (
                      <td key={j} class={typeof value === 'number' ? 'num' : undefined}>
                        {typeof value === 'number' ? value.toLocaleString('en') : value}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollRegion>
        </details>
      )}
    </figure>
  );
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read('ink'),
    soft: read('soft'),
    edge: read('edge'),
    panel: read('panel'),
    good: read('good'),
    warn: read('warn'),
    bad: read('bad'),
    series: ['s0', 's1', 's2', 's3', 's4', 's5'].map(read),
  };
}

function withDefaults(option: EChartsCoreOption): EChartsCoreOption {
  const { ink, soft, edge, panel, series } = readPalette();
  const axis = {
    axisLine: { lineStyle: { color: edge } },
    axisTick: { show: false },
    axisLabel: { color: soft, hideOverlap: true },
    splitLine: { lineStyle: { color: edge } },
    nameTextStyle: { color: soft },
  };
  const dress = (given: unknown): unknown =>
    Array.isArray(given) ? given.map(dress) : typeof given === 'object' && given !== null ? merge(axis, given) : given;
  return {
    animation: false,
    useUTC: true,
    color: series,
    textStyle: { color: ink, fontFamily: 'system-ui, sans-serif' },
    grid: { left: 8, right: 12, top: 34, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    ...option,
    // Drawn on the canvas, so that a name from the data never becomes HTML.
    tooltip: {
      renderMode: 'richText',
      confine: true,
      backgroundColor: panel,
      borderColor: edge,
      textStyle: { color: ink },
      ...(option['tooltip'] as object | undefined),
    },
    legend: {
      textStyle: { color: soft },
      icon: 'roundRect',
      top: 0,
      right: 0,
      ...(option['legend'] as object | undefined),
    },
    xAxis: dress(option['xAxis']),
    yAxis: dress(option['yAxis']),
  };
}

function merge(base: Record<string, object>, over: object): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = base[name];
    result[name] = below !== undefined && typeof value === 'object' && value !== null ? { ...below, ...value } : value;
  }
  return result;
}
