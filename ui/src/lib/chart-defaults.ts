import type { EChartsCoreOption } from 'echarts/core';

/** Colours of the page, from its style sheet. */
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

/** Makes a palette. `read` returns the colour of a variable of the style sheet, such as `s0`. */
export function paletteOf(read: (name: string) => string): Palette {
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

/** Adds what all charts share to the option of one chart. */
export function withDefaults(
  option: EChartsCoreOption,
  { ink, soft, edge, panel, series }: Palette,
): EChartsCoreOption {
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
    ...option,
    grid: {
      left: 8,
      right: 12,
      top: 34,
      bottom: 8,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
      ...(option['grid'] as object | undefined),
    },
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
