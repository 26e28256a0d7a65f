import { SVGRenderer } from 'echarts/renderers';
import type { EChartsCoreOption } from 'echarts/core';
import { paletteOf } from '../lib/chart-defaults.js';
import { init, setPlatformAPI, use } from '../lib/echarts.js';

use([SVGRenderer]);
// Without a browser, no letter can be measured. The widest common fonts need this width for a letter of 12 pixels.
const LETTER_WIDTH = 7;
setPlatformAPI({ measureText: (text) => ({ width: text.length * LETTER_WIDTH }) });

/** Width of a drawn chart. The page scales it, so that its texts are readable on a phone and on a wide screen. */
const WIDTH = 460;

// ECharts refuses `var(--s0)` as a colour. So each colour of the page has a stand-in, which is replaced afterwards.
const standIns = new Map<string, string>();

/** Colours to give to the charts that `drawChart` draws. */
export const PALETTE = paletteOf((name) => {
  const standIn = `#00f0${String(standIns.size).padStart(2, '0')}`;
  standIns.set(standIn, `var(--${name})`);
  return standIn;
});

/** Draws a chart as SVG, without a browser. It follows the colours of its page. */
export function drawChart(option: EChartsCoreOption, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption(option);
    return (
      chart
        .renderToSVGString({ useViewBox: true })
        // The policy of the page allows no other styles than its own.
        .replaceAll(/<style\b.*?<\/style>| style="[^"]*"/gs, '')
        .replaceAll(/#00f0\d\d\b/g, (standIn) => standIns.get(standIn) ?? standIn)
        .replace(/^(<svg[^>]*?) width="[^"]*" height="[^"]*"/, '$1')
    );
  } finally {
    chart.dispose();
  }
}
