import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Layout, Placed } from '../../lib/lineage.js';
import { go, onPlainClick } from '../../lib/router.js';

const WIDTH = 252;
const HEIGHT = 30;
const GAP_X = 58;
const GAP_Y = 10;
const EDGE = 12;
/** Letters that fit into a box. */
const LETTERS = 30;

/** The graph of a lineage. Each box that has a page is a link. The list next to it says the same as text. */
export function LineageGraph({
  layout,
  start,
  address,
}: {
  layout: Layout;
  start: string;
  address: (name: string) => string | null;
}): JSX.Element {
  const [near, setNear] = useState<string>();
  const [large, setLarge] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const layers = layout.nodes.map(({ layer }) => layer);
  const left = Math.min(...layers);
  const most = Math.max(...layout.nodes.map(({ row }) => row)) + 1;
  const sizes = new Map<number, number>();
  for (const layer of layers) sizes.set(layer, (sizes.get(layer) ?? 0) + 1);
  const width = (Math.max(...layers) - left + 1) * (WIDTH + GAP_X) - GAP_X + 2 * EDGE;
  const height = most * (HEIGHT + GAP_Y) - GAP_Y + 2 * EDGE;
  const place = ({ layer, row }: Placed): { x: number; y: number } => {
    const unused = most - (sizes.get(layer) ?? 0);
    return { x: EDGE + (layer - left) * (WIDTH + GAP_X), y: EDGE + (row + unused / 2) * (HEIGHT + GAP_Y) };
  };
  const at = new Map(layout.nodes.map((node) => [node.name, place(node)]));
  const chosen = at.get(start);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || chosen === undefined) return;
    // Shows the beginning if the chosen node is visible there, otherwise the chosen node in the middle.
    const { clientWidth, clientHeight } = element;
    const step = WIDTH + GAP_X;
    // A whole number of steps: no box is cut at the left.
    const middle = Math.round((chosen.x - (clientWidth - WIDTH) / 2) / step) * step;
    const x = chosen.x + WIDTH <= clientWidth ? 0 : middle;
    const y = chosen.y + HEIGHT <= clientHeight ? 0 : chosen.y - (clientHeight - HEIGHT) / 2;
    element.scrollTo(x, y);
    setLarge(width > clientWidth || height > clientHeight);
  }, [layout]);
  return (
    <>
      {large && (
        <p class="about lineage-hint">
          The graph has {layout.nodes.length} boxes, more than fit here. It opens at {start}; scroll it for the others.
        </p>
      )}
      <div
        ref={scroller}
        class="scroll lineage"
        tabIndex={0}
        role="region"
        aria-label={`Graph of the lineage of ${start}`}
      >
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label="Lineage">
          {layout.edges.map(({ from, to }) => (
            <path
              key={`${from} ${to}`}
              class={near === from || near === to ? 'edge near' : 'edge'}
              d={curve(at.get(from), at.get(to))}
            />
          ))}
          {layout.nodes.map(({ name }) => (
            <Node
              key={name}
              name={name}
              at={at.get(name) ?? { x: 0, y: 0 }}
              href={name === start ? null : address(name)}
              isStart={name === start}
              onNear={setNear}
            />
          ))}
        </svg>
      </div>
    </>
  );
}

function Node({
  name,
  at,
  href,
  isStart,
  onNear,
}: {
  name: string;
  at: { x: number; y: number };
  href: string | null;
  isStart: boolean;
  onNear: (name: string | undefined) => void;
}): JSX.Element {
  const box = (
    <>
      <title>{name}</title>
      <rect width={WIDTH} height={HEIGHT} rx={7} />
      <text x={10} y={HEIGHT / 2 + 4}>
        {name.length > LETTERS ? `…${name.slice(1 - LETTERS)}` : name}
      </text>
    </>
  );
  const kind = isStart ? 'start' : (/^(landing|ledger|core|marts|ops|meta)/.exec(name)?.[1] ?? 'core');
  const common = {
    class: `node ${kind}`,
    transform: `translate(${at.x} ${at.y})`,
    onMouseEnter: () => onNear(name),
    onMouseLeave: () => onNear(undefined),
  };
  if (href === null) return <g {...common}>{box}</g>;
  return (
    <a
      {...common}
      href={href}
      aria-label={name}
      onFocus={() => onNear(name)}
      onBlur={() => onNear(undefined)}
      onClick={(event) => onPlainClick(event, () => go(href))}
    >
      {box}
    </a>
  );
}

function curve(from: { x: number; y: number } | undefined, to: { x: number; y: number } | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x, to.y + HEIGHT / 2];
  const bend = Math.max(GAP_X / 2, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
