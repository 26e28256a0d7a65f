import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { EChartsCoreOption } from 'echarts/core';
import type { Palette } from './chart-defaults.js';

/** How views are drawn in a file without scripts. */
export interface Export {
  /** Colours to give to charts. */
  palette: Palette;
  /** Draws a chart as SVG. */
  draw: (option: EChartsCoreOption, height: number) => string;
}

/** Given when views are exported to a file without scripts: links, buttons and scrolling tables are left out. */
export const ExportContext = createContext<Export | null>(null);

/** Returns how to draw an export; null in the explorer. */
export function useExport(): Export | null {
  return useContext(ExportContext);
}
