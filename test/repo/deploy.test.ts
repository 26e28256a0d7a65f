import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './project-files.js';

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; description: string };
}

const read = (file: string): string => readFileSync(path.join(ROOT, 'deploy', file), 'utf8');

/** The parts of an expression that the grammar of Prometheus rejects. */
function faultsOf(expression: string): string[] {
  const faults: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) faults.push(`${expression} at ${from}: ${expression.slice(from, to + 10)}`);
    },
  });
  return faults;
}

it('has alert rules with expressions of Prometheus, a summary and a remedy', () => {
  const { groups } = parse(read('prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(6);
  expect(rules.flatMap(({ expr }) => faultsOf(expr))).toEqual([]);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, annotations } of rules)
    expect(Object.keys(annotations), alert).toEqual(['summary', 'description']);
});

it('has a dashboard with expressions of Prometheus', () => {
  const { panels } = JSON.parse(read('grafana/tidemark.json')) as {
    panels: { id: number; targets?: { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(20);
  // Grafana replaces the variable by a duration.
  expect(expressions.flatMap((expr) => faultsOf(expr.replaceAll('$__rate_interval', '5m')))).toEqual([]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

it('finds an expression that Prometheus would reject', () => {
  expect(faultsOf('sum by (le (rate(x[5m]))')).not.toEqual([]);
});
