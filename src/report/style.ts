/**
 * Style sheet of the report: for light and dark screens, as the reader's system prefers, and for paper. It refers to no
 * URL.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfaf7; --panel: #ffffff; --ink: #1c2330; --soft: #5d6675; --edge: #e3e0d8; --track: #eceae4;
  --s0: #1f5fa8; --s1: #e08a1e; --s2: #2a8f6b; --s3: #8b5fbf; --s4: #c2456b; --s5: #6d7886;
  --good: #2a8f6b; --warn: #c9780b; --bad: #c0392f;
  --good-ground: #e3f3ec; --warn-ground: #fcefd9; --bad-ground: #fae3e1; --plain-ground: #eceae4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161d; --panel: #1a2029; --ink: #e6e9ee; --soft: #9aa5b4; --edge: #2b333f; --track: #2b333f;
    --s0: #6aa9ee; --s1: #f0ab4f; --s2: #56c29b; --s3: #b592e6; --s4: #ec7d9c; --s5: #93a0b0;
    --good: #56c29b; --warn: #f0ab4f; --bad: #f08078;
    --good-ground: #173429; --warn-ground: #3a2c12; --bad-ground: #40201e; --plain-ground: #2b333f;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header, footer { max-width: 1120px; margin: 0 auto; padding: 0 28px; }
header { padding-top: 44px; }
.kicker { color: var(--soft); font-size: 13px; letter-spacing: .08em; text-transform: uppercase; margin: 0 0 6px; }
h1 { font-size: 34px; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 10px; text-wrap: balance; }
.lead { font-size: 17px; color: var(--soft); margin: 0 0 22px; max-width: 74ch; }
nav { position: sticky; top: 0; z-index: 1; background: var(--ground); border-bottom: 1px solid var(--edge); }
nav ul { max-width: 1120px; margin: 0 auto; padding: 10px 28px; display: flex; gap: 4px 18px; overflow-x: auto; list-style: none; }
nav a { color: var(--soft); text-decoration: none; white-space: nowrap; font-size: 14px; }
nav a:hover, nav a:focus-visible { color: var(--ink); text-decoration: underline; }
section { padding-top: 40px; scroll-margin-top: 30px; }
h2 { font-size: 22px; letter-spacing: -.01em; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 26px 0 8px; }
.about { color: var(--soft); margin: 0 0 16px; max-width: 80ch; }
.none { color: var(--soft); padding: 14px 18px; border: 1px dashed var(--edge); border-radius: 10px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 14px; margin: 20px 0 26px; }
.card { background: var(--panel); border: 1px solid var(--edge); border-radius: 12px; padding: 16px 18px; break-inside: avoid; }
.card .name { color: var(--soft); font-size: 13px; margin: 0; }
.card .figure { font-size: 30px; line-height: 1.2; letter-spacing: -.02em; font-weight: 600; margin: 2px 0; }
.card .more { color: var(--soft); font-size: 13px; margin: 0; }
.grid2 { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(460px, 100%), 1fr)); gap: 0 16px; }
figure { margin: 14px 0 0; background: var(--panel); border: 1px solid var(--edge); border-radius: 12px; padding: 14px 16px 8px; break-inside: avoid; }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 16px; font-weight: 600; font-size: 14px; margin-bottom: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; list-style: none; margin: 0; padding: 0; font-weight: 400; color: var(--soft); font-size: 13px; }
.legend svg { width: 10px; height: 10px; margin-right: 6px; }
svg { display: inline-block; vertical-align: middle; overflow: visible; }
svg.chart { width: 100%; height: auto; display: block; }
svg.share { width: 100%; height: 18px; border-radius: 5px; overflow: hidden; display: block; background: var(--track); }
svg.tiny { width: 90px; height: 8px; }
svg.spark { width: 100%; height: 32px; margin-top: 6px; }
.grid { stroke: var(--edge); stroke-width: 1; }
.tick { fill: var(--soft); font-size: 12px; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.track { fill: var(--track); }
.line.s0 { stroke: var(--s0); } .line.s1 { stroke: var(--s1); } .line.s2 { stroke: var(--s2); } .line.s3 { stroke: var(--s3); } .line.s4 { stroke: var(--s4); } .line.s5 { stroke: var(--s5); }
.bar.s0, .dot.s0 { fill: var(--s0); } .bar.s1, .dot.s1 { fill: var(--s1); } .bar.s2, .dot.s2 { fill: var(--s2); } .bar.s3, .dot.s3 { fill: var(--s3); } .bar.s4, .dot.s4 { fill: var(--s4); } .bar.s5, .dot.s5 { fill: var(--s5); }
.proven { fill: var(--good); } .carried { fill: var(--s0); } .drifted { fill: var(--s1); } .unsplittable { fill: var(--s3); } .unproven { fill: var(--s5); } .lost { fill: var(--bad); }
.scroll { overflow-x: auto; background: var(--panel); border: 1px solid var(--edge); border-radius: 12px; margin-top: 12px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 8px 14px; vertical-align: top; border-bottom: 1px solid var(--edge); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 500; font-size: 13px; white-space: nowrap; }
.num { text-align: right; white-space: nowrap; }
.keep { white-space: nowrap; }
.note { color: var(--soft); font-size: 13px; max-width: 52ch; overflow-wrap: anywhere; }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
code.id { display: inline-block; min-width: 22ch; }
.badge { display: inline-block; padding: 1px 9px; border-radius: 99px; font-size: 12.5px; white-space: nowrap; background: var(--plain-ground); color: var(--soft); }
.badge.good { background: var(--good-ground); color: var(--good); }
.badge.warn { background: var(--warn-ground); color: var(--warn); }
.badge.bad { background: var(--bad-ground); color: var(--bad); }
details { background: var(--panel); border: 1px solid var(--edge); border-radius: 10px; margin-top: 8px; }
summary { cursor: pointer; padding: 10px 16px; display: grid; grid-template-columns: 14px minmax(200px, auto) 1fr auto; gap: 2px 10px; align-items: baseline; }
summary::before { content: "▸"; color: var(--soft); }
details[open] > summary::before { content: "▾"; }
summary::-webkit-details-marker { display: none; }
summary code { font-weight: 600; }
summary .about { margin: 0; font-size: 14px; }
details .scroll { margin: 0; border-width: 1px 0 0; border-radius: 0 0 10px 10px; }
footer { color: var(--soft); font-size: 13px; padding: 40px 28px 60px; }
@media (max-width: 560px) { main, header, footer, nav ul { padding-left: 16px; padding-right: 16px; } h1 { font-size: 27px; } .tick { font-size: 16px; } summary { grid-template-columns: 14px 1fr auto; } summary .about { grid-column: 2 / -1; grid-row: 2; } th, td { padding: 7px 10px; } }
@media print {
  :root {
    color-scheme: light;
    --ground: #fff; --panel: #fff; --ink: #000; --soft: #444; --edge: #ccc; --track: #eee;
    --s0: #1f5fa8; --s1: #e08a1e; --s2: #2a8f6b; --s3: #8b5fbf; --s4: #c2456b; --s5: #6d7886;
    --good: #1e7253; --warn: #8a5206; --bad: #a1281f;
    --good-ground: #fff; --warn-ground: #fff; --bad-ground: #fff; --plain-ground: #fff;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav { display: none; }
  body { font-size: 11px; }
  section { padding-top: 22px; }
  .scroll { overflow: visible; }
  table, thead th, .note, code, .badge, .legend, .card .name, .card .more { font-size: 10.5px; }
  .badge { padding: 0; }
  tr, figure, .card { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`;
