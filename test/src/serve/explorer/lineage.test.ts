import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { layOut, reach, reversed, type Graph } from '../../../../ui/src/lib/lineage.js';

/** Graphs in which a node reads only nodes with a smaller number. */
const graphs: fc.Arbitrary<Graph> = fc
  .array(fc.array(fc.nat({ max: 30 }), { maxLength: 5 }), { minLength: 1, maxLength: 25 })
  .map(
    (nodes) =>
      new Map(
        nodes.map((reads, i) => [`n${i}`, [...new Set(reads.filter((read) => read < i))].map((read) => `n${read}`)]),
      ),
  );

/** All nodes that can be reached, found step by step. */
function reachable(graph: Graph, start: string): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const next of graph.get(name) ?? [])
      if (!found.has(next)) {
        found.add(next);
        open.push(next);
      }
  return found;
}

it('places everything before and after a node, and nothing else, each edge from left to right', () => {
  fc.assert(
    fc.property(graphs, fc.nat(), (graph, pick) => {
      const start = [...graph.keys()][pick % graph.size] ?? '';
      const { nodes, edges } = layOut(graph, start);
      const layers = new Map(nodes.map(({ name, layer }) => [name, layer]));
      const [before, after] = [reachable(graph, start), reachable(reversed(graph), start)];
      expect(new Set(layers.keys())).toEqual(new Set([start, ...before, ...after]));
      for (const [name, layer] of layers) expect(Math.sign(layer)).toBe(name === start ? 0 : before.has(name) ? -1 : 1);
      for (const { from, to } of edges) expect(layers.get(from)).toBeLessThan(layers.get(to) ?? 0);
      const expected = [...graph].flatMap(([to, reads]) =>
        layers.has(to) ? reads.filter((from) => layers.has(from)).map((from) => `${from} ${to}`) : [],
      );
      expect(edges.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual(expected.toSorted());
      for (const layer of new Set(layers.values())) {
        const rows = nodes.filter((node) => node.layer === layer).map(({ row }) => row);
        expect(rows.toSorted((a, b) => a - b)).toEqual(rows.map((_, i) => i));
      }
    }),
  );
});

it('measures the longest way', () => {
  const graph: Graph = new Map([
    ['d', ['a', 'c']],
    ['c', ['b']],
    ['b', ['a']],
  ]);
  expect(Object.fromEntries(reach(graph, 'd'))).toEqual({ a: 3, b: 2, c: 1 });
});

it('ends in a graph with a circle', () => {
  const graph: Graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'a']],
    ['c', ['a']],
  ]);
  expect(new Set(layOut(graph, 'b').nodes.map(({ name }) => name))).toEqual(new Set(['a', 'b', 'c']));
});
