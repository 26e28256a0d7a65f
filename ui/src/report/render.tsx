import { renderToString } from 'preact-render-to-string';
import type { RenderedReport, ReportInput } from '../../../schemas/explorer/report.js';
import { ExportContext } from '../lib/export.js';
import base from '../styles/base.css?inline';
import layout from '../styles/layout.css?inline';
import parts from '../styles/parts.css?inline';
import views from '../styles/views.css?inline';
import { drawChart, PALETTE } from './draw.js';
import { ReportPage } from './page.js';
import own from './report.css?inline';

/** Renders the views of the explorer as a page without scripts. Runs in Node. */
export function renderReport(input: ReportInput): RenderedReport {
  const body = renderToString(
    <ExportContext.Provider value={{ palette: PALETTE, draw: drawChart }}>
      <ReportPage input={input} />
    </ExportContext.Provider>,
  );
  return { title: `Tidemark report, ${input.facts.generated_at.slice(0, 10)}`, body, style: STYLE };
}

// A page without scripts follows the colours of the system. Paper is always light.
const STYLE = [base, layout, parts, views, own]
  .join('\n')
  .replace(
    /:root\[data-theme=['"]?dark['"]?\]\s*(\{[^}]*\})/,
    '@media screen and (prefers-color-scheme: dark) { :root $1 }',
  );
