import type { Dictionary } from '../../../schemas/explorer/api.js';

/** What each node reads. Tables are `schema.table`, columns `schema.table.column`, landed streams `landing/stream`. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** A node of a drawing. `layer` 0 is the chosen node; what it is made from is to the left. */
export interface Placed {
  name: string;
  layer: number;
  /** Position in its layer, from 0. */
  row: number;
}

export interface Layout {
  nodes: Placed[];
  edges: { from: string; to: string }[];
}

/** Whether a table has loaded records. The dictionary does not describe such a table. */
export function isLoaded(name: string): boolean {
  return /^(?:ledger|base)\./.test(name);
}

/** Returns which table reads which, from the landed streams to the marts. */
export function tableGraph({ tables, streams }: Dictionary): Graph {
  const graph = new Map<string, string[]>();
  for (const { stream, tables: filled } of streams)
    for (const table of filled) graph.set(table, [...(graph.get(table) ?? []), `landing/${stream}`]);
  const known = new Set(tables.map(({ table }) => table));
  // A table of loaded records that every stream fills gets no edge from each of them.
  for (const { table, reads } of tables)
    graph.set(
      table,
      reads.filter((read) => read !== table && (known.has(read) || isLoaded(read))),
    );
  return graph;
}

/** Returns from which columns each column comes. */
export function columnGraph({ tables }: Dictionary): Graph {
  return new Map(
    tables.flatMap(({ table, columns }) =>
      columns.map(({ name, from }): [string, string[]] => {
        const own = `${table}.${name}`;
        return [own, from.filter((one) => one !== own)];
      }),
    ),
  );
}

/** Returns the same graph with all edges turned round. */
export function reversed(graph: Graph): Graph {
  const result = new Map<string, string[]>();
  for (const [name, reads] of graph) for (const read of reads) result.set(read, [...(result.get(read) ?? []), name]);
  return result;
}

/** Returns every node that can be reached from `start`, with the length of the longest way to it. */
export function reach(graph: Graph, start: string): Map<string, number> {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    seen.add(name);
    for (const next of graph.get(name) ?? []) if (!seen.has(next)) visit(next);
    order.push(name);
  };
  visit(start);
  order.reverse();
  const position = new Map(order.map((name, i) => [name, i]));
  const depth = new Map<string, number>([[start, 0]]);
  for (const [i, name] of order.entries()) {
    for (const next of graph.get(name) ?? []) {
      // The models form no circle, but a damaged file may.
      if ((position.get(next) ?? 0) <= i) continue;
      depth.set(next, Math.max(depth.get(next) ?? 0, (depth.get(name) ?? 0) + 1));
    }
  }
  depth.delete(start);
  return depth;
}

/** Returns the length of the longest way from a node that reads nothing to each of some nodes, within them. */
function heightsOf(graph: Graph, nodes: ReadonlySet<string>): Map<string, number> {
  const heights = new Map<string, number>();
  const open = new Set<string>();
  const visit = (name: string): number => {
    const known = heights.get(name);
    if (known !== undefined) return known;
    open.add(name);
    const reads = (graph.get(name) ?? []).filter((read) => nodes.has(read) && !open.has(read));
    const height = Math.max(0, ...reads.map((read) => visit(read) + 1));
    open.delete(name);
    heights.set(name, height);
    return height;
  };
  for (const name of nodes) visit(name);
  return heights;
}

/** Places everything from which `start` is made to its left, and everything made from it to its right. */
export function layOut(graph: Graph, start: string): Layout {
  const before = reach(graph, start);
  const after = reach(reversed(graph), start);
  const layerOf = new Map<string, number>([[start, 0]]);
  for (const [name, depth] of after) layerOf.set(name, depth);
  const heights = heightsOf(graph, new Set([start, ...before.keys()]));
  const own = heights.get(start) ?? 0;
  for (const name of before.keys()) layerOf.set(name, (heights.get(name) ?? 0) - own);
  const edges = [...layerOf.keys()].flatMap((to) =>
    (graph.get(to) ?? [])
      .filter((from) => (layerOf.get(from) ?? Infinity) < (layerOf.get(to) ?? 0))
      .map((from) => ({ from, to })),
  );
  const layers = new Map<number, string[]>();
  for (const [name, layer] of layerOf) layers.set(layer, [...(layers.get(layer) ?? []), name]);
  for (const names of layers.values()) names.sort((a, b) => (a < b ? -1 : 1));
  sortByNeighbours(layers, edges);
  const nodes = [...layers]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([layer, names]) => names.map((name, row) => ({ name, layer, row })));
  return { nodes, edges };
}

const SWEEPS = 4;

/** Sorts each layer by the mean position of its neighbours, several times, so that fewer edges cross. */
function sortByNeighbours(layers: Map<number, string[]>, edges: Layout['edges']): void {
  const order = [...layers.keys()].toSorted((a, b) => a - b);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of sweep % 2 === 0 ? order : order.toReversed()) {
      const row = new Map([...layers.values()].flatMap((names) => names.map((name, i): [string, number] => [name, i])));
      const mean = new Map(
        (layers.get(layer) ?? []).map((name): [string, number] => {
          const near = edges.flatMap(({ from, to }) => (from === name ? [to] : to === name ? [from] : []));
          const rows = near.map((other) => row.get(other) ?? 0);
          return [name, rows.length === 0 ? (row.get(name) ?? 0) : rows.reduce((a, b) => a + b, 0) / rows.length];
        }),
      );
      layers.get(layer)?.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
    }
  }
}
