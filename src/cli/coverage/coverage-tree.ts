import { formatCount } from '../../../schemas/format.js';
import type { NamedCode } from '../../../schemas/explorer/api.js';
import { describeFilters } from '../../../schemas/explorer/describe-filters.js';
import type { CoverageGap } from '../../../schemas/pipeline/landing.js';

// In columns of the terminal: the indentation of each level of the tree, and the minimum width for the description of a
// gap.
const INDENT = 3;
const MIN_ROOM = 30;

/** A row of ops.segments. */
export interface SegmentRow {
  segment: string;
  parent: string | null;
  filters: Record<string, unknown>;
  total_reported: number;
  distinct_companies: number;
  pages: number;
  state: string;
  split_by: string | null;
}

/** A segment with its children. */
export interface TreeNode extends SegmentRow {
  /** Name relative to the parent segment: `company_status=199`. */
  name: string;
  children: TreeNode[];
  /** Why companies of this segment are missing; empty if none is missing. */
  gaps: CoverageGap[];
  /**
   * - `proven`: the segment and all segments below it are proven.
   * - `gap`: companies are missing in this segment, above it or below it.
   * - `moved`: no gap, but companies moved while the segment was read.
   */
  verdict: 'proven' | 'moved' | 'gap';
}

/**
 * Builds the tree of a market's segments, with each gap at its segment. Leaves out calibration probes.
 * @returns The root; undefined when no root segment was recorded
 */
export function buildTree(rows: readonly SegmentRow[], gaps: readonly CoverageGap[]): TreeNode | undefined {
  const children = new Map<string | null, SegmentRow[]>();
  for (const row of rows) {
    if (row.state === 'calibration') continue;
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  const grow = (row: SegmentRow, belowGap: boolean): TreeNode => {
    const here = gaps.filter((gap) => gap.segment === row.segment);
    const inGap = belowGap || here.length > 0;
    const below = (children.get(row.segment) ?? []).map((child) => grow(child, inGap));
    return {
      ...row,
      name:
        row.parent !== null && row.segment.startsWith(`${row.parent}/`)
          ? row.segment.slice(row.parent.length + 1)
          : row.segment,
      children: below,
      gaps: here,
      verdict: worst([ownVerdict(row, here.length > 0, belowGap), ...below.map((child) => child.verdict)]),
    };
  };
  const [root] = children.get(null) ?? [];
  return root && grow(root, false);
}

function ownVerdict(row: SegmentRow, isGap: boolean, belowGap: boolean): TreeNode['verdict'] {
  if (isGap) return 'gap';
  if (row.state === 'leaf' || row.state === 'split') return 'proven';
  return belowGap && row.distinct_companies < row.total_reported ? 'gap' : 'moved';
}

function worst(verdicts: TreeNode['verdict'][]): TreeNode['verdict'] {
  return verdicts.includes('gap') ? 'gap' : verdicts.includes('moved') ? 'moved' : 'proven';
}

/** How to render the tree. */
export interface TreeOptions {
  /** True shows every segment; false shows neighbouring proven segments in one line. */
  all: boolean;
  /** Columns of the terminal; gaps are wrapped to this width. */
  width: number;
  /** Names of the codes in filters. */
  codes?: readonly NamedCode[];
  paint: { green(text: string): string; yellow(text: string): string; dim(text: string): string };
}

/** Renders the tree as lines: proven segments in one line, every gap with count, reason and the filters as sent. */
export function renderTree(root: TreeNode, options: TreeOptions): string[] {
  return [line(root, options), ...renderBelow(root, 0, options)];
}

function renderBelow(node: TreeNode, depth: number, options: TreeOptions): string[] {
  const { paint, all } = options;
  const shown = all ? node.children : node.children.filter((child) => child.verdict !== 'proven');
  const folded = all ? [] : node.children.filter((child) => child.verdict === 'proven');
  const blocks: string[][] = [
    ...(folded.length > 0 ? [[paint.green(`✔ ${fold(folded)}`)]] : []),
    ...shown.map((child) => [line(child, options), ...renderBelow(child, depth + 1, options)]),
  ];
  const bar = blocks.length > 0 ? '│  ' : '   ';
  const room = Math.max(MIN_ROOM, options.width - depth * INDENT - bar.length);
  const lines = node.gaps.flatMap((gap) => describeGap(gap, room, options)).map((text) => paint.dim(bar) + text);
  for (const [i, block] of blocks.entries()) {
    const last = i === blocks.length - 1;
    for (const [j, text] of block.entries()) {
      lines.push(paint.dim(j === 0 ? (last ? '└─ ' : '├─ ') : last ? '   ' : '│  ') + text);
    }
  }
  return lines;
}

function line(node: TreeNode, { paint }: TreeOptions): string {
  const count = `${formatCount(node.distinct_companies)} of ${formatCount(node.total_reported)}`;
  const split = node.split_by === null ? '' : paint.dim(`  split by ${node.split_by}`);
  if (node.verdict === 'proven') return `${paint.green(`✔ ${node.name}`)}  ${count}${split}`;
  const state = node.state === 'split' || node.state === 'leaf' ? '' : `  ${node.state}`;
  return `${paint.yellow(`${node.verdict === 'gap' ? '✗' : '~'} ${node.name}`)}  ${count}${state}${split}`;
}

function describeGap(gap: CoverageGap, room: number, { paint, codes = [] }: TreeOptions): string[] {
  const count = gap.missing > 0 ? `${formatCount(gap.missing)} missing` : 'unknown number missing';
  const filters = JSON.stringify(gap.filters);
  const details = [
    ...(gap.also ?? []).map(({ segment, reason }) => `${segment === undefined ? 'also' : segment}: ${reason}`),
    ...(gap.unusable ? [`could not be used: ${gap.unusable.join('; ')}`] : []),
    `search: ${describeFilters(filters, codes)}`,
    `filters ${filters}`,
  ];
  return [
    ...wrap(`${count}, ${gap.class}: ${gap.reason}`, room).map((text) => paint.yellow(text)),
    ...details.flatMap((detail) => wrap(detail, room)).map((text) => paint.dim(text)),
  ];
}

/** Wraps a text into lines of at most `room` characters; breaks at a space if there is one. */
function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const space = rest.lastIndexOf(' ', room);
    const end = space > 0 ? space : room;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/**
 * Renders neighbouring proven segments as one line. The line counts leaves: each leaf is a search whose pages add up to
 * its total.
 */
function fold(nodes: TreeNode[]): string {
  const leaves = nodes.flatMap(leavesOf);
  const companies = nodes.reduce((sum, node) => sum + node.distinct_companies, 0);
  const pages = leaves.reduce((sum, leaf) => sum + leaf.pages, 0);
  const segments = leaves.length === 1 ? `${leaves[0]?.name}` : `${formatCount(leaves.length)} segments`;
  return `${segments} proven: ${formatCount(companies)} companies on ${formatCount(pages)} pages`;
}

function leavesOf(node: TreeNode): TreeNode[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}
