import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { TextTable } from './basics.js';
import { paletteOf, withDefaults, type Palette } from '../lib/chart-defaults.js';
import { useExport } from '../lib/export.js';
import { THEME_CHANGED } from '../lib/theme.js';

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
  table?: { columns: string[]; rows: ComponentChildren[][] };
  /** Called with the data of a clicked mark. */
  onPick?: (data: { name: string; seriesName: string; data: unknown }) => void;
  aside?: ComponentChildren;
}): JSX.Element {
  const exported = useExport();
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        {aside}
      </figcaption>
      {exported === null ? (
        <Canvas
          title={title}
          height={height}
          option={option}
          content={JSON.stringify(table?.rows ?? title)}
          onPick={onPick}
        />
      ) : (
        <div
          class="canvas"
          role="img"
          aria-label={title}
          // ECharts escapes the texts of a chart.
          dangerouslySetInnerHTML={{
            __html: exported.draw(withDefaults(option(exported.palette), exported.palette), height),
          }}
        />
      )}
      {table !== undefined && (
        <details>
          <summary>Numbers as a table</summary>
          <TextTable label={`${title}: numbers`} heads={table.columns}>
            {table.rows.map((row, i) => (
              <tr key={i}>
                {row.map((value, j) => (
                  <td key={j} class={typeof value === 'number' ? 'num' : undefined}>
                    {typeof value === 'number' ? value.toLocaleString('en') : value}
                  </td>
                ))}
              </tr>
            ))}
          </TextTable>
        </details>
      )}
    </figure>
  );
}

/** Draws a chart, and draws it again when its content, its size or the colours change. */
function Canvas({
  title,
  height,
  option,
  content,
  onPick,
}: {
  title: string;
  height: number;
  option: (palette: Palette) => EChartsCoreOption;
  content: string;
  onPick: ((data: { name: string; seriesName: string; data: unknown }) => void) | undefined;
}): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>();
  const [theme, setTheme] = useState(0);
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
      const palette = readPalette();
      chart.current.setOption(withDefaults(option(palette), palette), true);
      watcher.observe(element);
    };
    void draw();
    return () => {
      gone = true;
      watcher.disconnect();
    };
  }, [content, theme]);
  useEffect(() => () => chart.current?.dispose(), []);
  return <div ref={holder} class="canvas" style={{ height: `${height}px` }} role="img" aria-label={title} />;
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return paletteOf((name) => style.getPropertyValue(`--${name}`).trim());
}
