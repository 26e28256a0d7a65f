/** Tells from which columns the values of one column come. */
export interface Source {
  /** Source columns as `schema.table.column`. */
  columns: ReadonlySet<string>;
  /** True if the value is copied or cast. False if it is computed. */
  isCopy: boolean;
}

/** A node in the output of DuckDB's `json_serialize_plan`: an operator of a query plan, or an expression. */
type Node = Record<string, unknown>;

/** Output columns of one operator: the source of each column, by position. */
type Outputs = Source[];

interface Scope {
  /** Output columns of each CTE. Keys: `table_index` of the CTE's definition in the plan. */
  ctes: Map<number, Outputs>;
  /** Columns that the innermost correlated join passes to its subqueries. */
  outer: Outputs;
}

const NOTHING: Source = { columns: new Set(), isCopy: false };
const SETS = new Set(['LOGICAL_UNION', 'LOGICAL_INTERSECT', 'LOGICAL_RECURSIVE_CTE']);
const PASSING = new Set(['LOGICAL_DISTINCT', 'LOGICAL_FILTER', 'LOGICAL_LIMIT', 'LOGICAL_ORDER_BY', 'LOGICAL_SAMPLE']);
const JOINS = new Set([
  'LOGICAL_COMPARISON_JOIN',
  'LOGICAL_ANY_JOIN',
  'LOGICAL_DELIM_JOIN',
  'LOGICAL_ASOF_JOIN',
  'LOGICAL_CROSS_PRODUCT',
  'LOGICAL_POSITIONAL_JOIN',
]);

/**
 * Finds, for each output column of a bound query plan, the table columns from which its value is computed. Columns in
 * the conditions of joins, filters and groups do not count, because they select rows and do not change values. For the
 * same reason, the subquery of an EXISTS does not count.
 * @param plan Root operator, with references resolved to positions. Only plans that were not optimized: the optimizer
 * swaps the sides of joins and leaves out columns
 * @throws Error at an unknown operator, because the lineage is then uncertain
 */
export function traceColumns(plan: unknown): Outputs {
  return trace(asNode(plan), { ctes: new Map(), outer: [] });
}

function trace(node: Node, scope: Scope): Outputs {
  const type = String(node['type']);
  const children = nodes(node['children']);
  if (JOINS.has(type)) return traceJoin(node, type, children, scope);
  if (SETS.has(type)) return traceSet(node, type, children, scope);
  const input = (): Outputs => children.flatMap((child) => trace(child, scope));
  if (PASSING.has(type)) return input();
  switch (type) {
    case 'LOGICAL_GET':
      return traceTable(node);
    case 'LOGICAL_PROJECTION':
      return all(node['expressions'], input());
    case 'LOGICAL_EXCEPT':
      return children[0] === undefined ? [] : trace(children[0], scope);
    case 'LOGICAL_AGGREGATE_AND_GROUP_BY': {
      const from = input();
      const groupings = list(node['grouping_functions']).map(() => NOTHING);
      return [...all(node['groups'], from), ...all(node['expressions'], from), ...groupings];
    }
    case 'LOGICAL_WINDOW':
    case 'LOGICAL_UNNEST': {
      const from = input();
      return [...from, ...all(node['expressions'], from)];
    }
    case 'LOGICAL_MATERIALIZED_CTE': {
      const [definition, use] = children;
      if (definition === undefined || use === undefined) break;
      scope.ctes.set(Number(node['table_index']), trace(definition, scope));
      return trace(use, scope);
    }
    case 'LOGICAL_CTE_REF': {
      const known = scope.ctes.get(Number(node['cte_index']));
      if (known === undefined) break;
      return known;
    }
    case 'LOGICAL_DELIM_GET':
      return scope.outer;
    case 'LOGICAL_DUMMY_SCAN':
      return [NOTHING];
    case 'LOGICAL_EXPRESSION_GET': {
      const from = input();
      return merge(list(node['expressions']).map((row) => all(row, from)));
    }
  }
  throw new Error(`unknown operator ${type}`);
}

function traceTable(node: Node): Outputs {
  const data = node['function_data'];
  const table = isNode(data) && typeof data['table'] === 'string' ? `${String(data['schema'])}.${data['table']}` : null;
  const names = list(node['names']);
  return nodes(node['column_indexes']).map((column): Source => {
    const name = names[Number(column['index'])];
    return table === null || typeof name !== 'string'
      ? NOTHING
      : { columns: new Set([`${table}.${name}`]), isCopy: true };
  });
}

function traceJoin(node: Node, type: string, [first, second]: Node[], scope: Scope): Outputs {
  if (first === undefined || second === undefined) throw new Error(`${type} has less than two inputs`);
  const left = trace(first, scope);
  // In a correlated join, the second side may read columns of the first. `duplicate_eliminated_columns` lists them.
  const handed = list(node['duplicate_eliminated_columns']);
  const right = trace(second, handed.length === 0 ? scope : { ...scope, outer: all(handed, left) });
  switch (node['join_type']) {
    case 'SEMI':
    case 'ANTI':
      return left;
    case 'MARK': {
      const conditions = nodes(node['conditions']);
      const compared = conditions.flatMap((one) => [evaluate(one['left'], left), evaluate(one['right'], right)]);
      return [...left, computed(compared)];
    }
  }
  return [...left, ...right];
}

function traceSet(node: Node, type: string, children: Node[], scope: Scope): Outputs {
  const [first, ...others] = children;
  if (first === undefined) throw new Error(`${type} has no input`);
  const base = trace(first, scope);
  // A recursive CTE reads itself, except in its first part. So use the sources of the first part.
  if (type === 'LOGICAL_RECURSIVE_CTE') scope.ctes.set(Number(node['table_index']), base);
  return merge([base, ...others.map((child) => trace(child, scope))]);
}

/**
 * Merges the sources of several inputs, column by column. The result is a copy only if all inputs copy the same column.
 */
function merge(inputs: Outputs[]): Outputs {
  const [first = []] = inputs;
  return first.map((_, i) => {
    const sources = inputs.map((input) => input[i] ?? NOTHING);
    const columns = new Set(sources.flatMap((source) => [...source.columns]));
    return { columns, isCopy: columns.size === 1 && sources.every((source) => source.isCopy) };
  });
}

function evaluate(expression: unknown, input: Outputs): Source {
  const node = asNode(expression);
  switch (node['expression_class']) {
    case 'BOUND_REF': {
      const source = input[Number(node['index'])];
      if (source === undefined) throw new Error('a reference to a missing input column');
      return source;
    }
    case 'BOUND_CAST':
      return evaluate(node['child'], input);
    case 'BOUND_WINDOW': {
      const values = all(node['children'], input);
      // A row number or a rank has no argument. Its sources are the columns that sort and partition the rows.
      const order = [
        ...all(node['partitions'], input),
        ...nodes(node['orders']).map((one) => evaluate(one['expression'], input)),
      ];
      return computed(values.length > 0 ? values : order);
    }
    default:
      return computed(operands(node).map((operand) => evaluate(operand, input)));
  }
}

/**
 * Returns the operands of an expression. Skips `function_data`, because it repeats the operands with column numbers of
 * another input.
 */
function operands(node: Node): unknown[] {
  return Object.entries(node).flatMap(([key, value]) => (key === 'function_data' ? [] : expressionsIn(value)));
}

function expressionsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(expressionsIn);
  if (!isNode(value)) return [];
  return 'expression_class' in value ? [value] : Object.values(value).flatMap(expressionsIn);
}

function computed(sources: readonly Source[]): Source {
  return { columns: new Set(sources.flatMap(({ columns }) => [...columns])), isCopy: false };
}

function all(expressions: unknown, input: Outputs): Outputs {
  return list(expressions).map((expression) => evaluate(expression, input));
}

function asNode(value: unknown): Node {
  if (isNode(value)) return value;
  throw new Error('not a query plan');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nodes(value: unknown): Node[] {
  return list(value).filter(isNode);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
