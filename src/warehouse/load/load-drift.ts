import { compare, memberPath, typeOf, type Comparison, type Deviation, type Structure } from '../shapes/compare.js';
import { DECLARED, declaredFor, type DeclaredBody } from '../shapes/declared.js';
import type { Shape } from '../shapes/shape.js';
import { sampleOf, structureOf, valueAt } from '../shapes/sample.js';
import { REMOVED_FIELD } from '../../privacy/events.js';
import type { Database } from '../duckdb/database.js';
import { readSqlFile } from '../duckdb/sql-files.js';

/** A row of the table `batch_shapes` (sql/staging/_shapes.sql). */
interface Finding {
  route: string;
  run: string;
  level: 'body' | 'member' | 'report' | 'indicators';
  /** Name of the field, report or indicator. Null for a whole body, and for a year of a report. */
  name: string | null;
  structure: string | null;
  bodies: string;
  first_seen: string;
  last_seen: string;
}

/** A row of the table ledger.shapes. */
interface ShapeRow {
  stream: string;
  route: string;
  run: string;
  path: string;
  kind: 'bodies' | 'seen' | 'new field' | 'changed type';
  type: string | null;
  bodies: number;
  first_seen: string;
  last_seen: string;
  sample: string | null;
}

/**
 * Of one batch of answers, list at most this many new fields for each run and route. If an API used ids as keys, the
 * list would otherwise have no limit.
 */
const MOST_NEW = 100;
/** Different new fields of a route in all runs. */
const MOST_NEW_EVER = 1_000;
const OTHERS = '$.…';

const ROW_TYPE =
  '[{"stream":"VARCHAR","route":"VARCHAR","run":"VARCHAR","path":"VARCHAR","kind":"VARCHAR","type":"VARCHAR","bodies":"BIGINT","first_seen":"TIMESTAMPTZ","last_seen":"TIMESTAMPTZ","sample":"VARCHAR"}]';

/**
 * Compares the bodies of the current batch with the schemas in `schemas/`. Stores the differences in the table
 * `ledger.shapes`. The staging file of the stream must have made the table `batch`. SQL groups the bodies by structure,
 * so this code reads each different structure only once.
 */
export async function loadDrift(db: Database, stream: string): Promise<void> {
  const first = DECLARED[stream]?.[0];
  if (first === undefined) return;
  await db.runFile(readSqlFile(first.shape.values ? 'staging/_shapes_by_year.sql' : 'staging/_shapes.sql'));
  if (stream === 'financials_v1') await db.runFile(readSqlFile('staging/_shapes_v1_reports.sql'));
  const shapes = new Shapes(db, stream);
  for (const finding of await db.rows<Finding>('FROM batch_shapes ORDER BY first_seen, name, structure')) {
    const declared = declaredFor(stream, finding.route);
    if (declared !== undefined) await shapes.add(declared, finding);
  }
  await db.run('INSERT INTO ledger.shapes SELECT unnest(from_json(CAST($rows AS JSON), $type), recursive := true)', {
    rows: JSON.stringify(shapes.rows),
    type: ROW_TYPE,
  });
}

/** Collects the rows for one batch: one row for each combination of route, run, path, kind and type. */
class Shapes {
  readonly #db: Database;
  readonly #stream: string;
  readonly #rows = new Map<string, ShapeRow>();
  /** Number of new fields by route and run. */
  readonly #newFields = new Map<string, number>();
  /** New fields of all runs, by route. */
  readonly #known = new Map<string, Set<string>>();
  #bodiesAreRead: Promise<void> | undefined;
  #lastBodies: { at: string; bodies: unknown[] } | undefined;

  constructor(db: Database, stream: string) {
    this.#db = db;
    this.#stream = stream;
  }

  get rows(): ShapeRow[] {
    return [...this.#rows.values()];
  }

  async add(declared: DeclaredBody, finding: Finding): Promise<void> {
    if (finding.level === 'body') this.#count(declared, finding, { path: '$', kind: 'bodies', type: null });
    if (this.#isUnlisted(declared, finding))
      return this.#count(declared, finding, { path: OTHERS, kind: 'new field', type: 'mixed' });
    const { seen, deviations } = await this.#look(declared, finding);
    for (const path of seen) if (path !== '$') this.#count(declared, finding, { path, kind: 'seen', type: null });
    for (const deviation of deviations) {
      const { kind } = deviation;
      // Ignore this field: the crawl adds it, and the API does not send it.
      if (deviation.path.endsWith(`.${REMOVED_FIELD}`)) continue;
      if (this.#has(declared, finding, deviation)) {
        this.#count(declared, finding, deviation);
      } else if (kind === 'new field' && !(await this.#isListed(declared, finding, deviation))) {
        this.#count(declared, finding, { path: OTHERS, kind, type: 'mixed' });
      } else {
        this.#count(declared, finding, deviation, await this.#sample(finding, deviation, declared.personal));
      }
    }
  }

  /** Compares a finding with the declared shape. For an unknown indicator, uses the type of its first value. */
  async #look({ shape }: DeclaredBody, finding: Finding): Promise<Comparison> {
    const { level, name, structure } = finding;
    const whole = structure === null ? null : (JSON.parse(structure) as Structure);
    if (shape.open) return NOTHING;
    if (level === 'body') return whole === null ? NOTHING : compare(shape, whole, '$');
    if (level === 'report') return compare(v1Report(shape), { [name ?? '']: whole ?? 'NULL' }, V1_REPORT);
    if (level === 'indicators')
      return compare(v1Report(shape)?.fields?.get('indicators')?.values, whole ?? 'NULL', V1_INDICATOR);
    if (shape.values === undefined) return name === null ? NOTHING : compare(shape, { [name]: whole ?? 'NULL' }, '$');
    // List only indicators that differ from the reference. A missing indicator is no difference, because a report has
    // only the indicators that apply to its company.
    const year = (found: Structure): Comparison => ({ ...compare(shape.values, found, '$.*'), seen: [] });
    if (name === null) return whole === null ? NOTHING : year(whole);
    if (whole !== null) return year({ [name]: whole });
    return year({ [name]: structureOf((await this.#firstValues(finding, memberPath('$.*', name)))[0]) });
  }

  #has(declared: DeclaredBody, finding: Finding, row: Deviation): boolean {
    return this.#rows.has(keyOf(declared, finding, row));
  }

  /**
   * Whether a finding is an unknown indicator beyond MOST_NEW. Then do not search the bodies for its type: with thousands
   * of indicators, that would take minutes.
   */
  #isUnlisted({ route, shape }: DeclaredBody, { run, level, name, structure }: Finding): boolean {
    const isIndicator = level === 'member' && shape.values !== undefined && name !== null && structure === null;
    return isIndicator && (this.#newFields.get(`${route}\n${run}`) ?? 0) > MOST_NEW;
  }

  /** Counts a new field of a route. Returns false if there are too many to list this one. */
  async #isListed({ route }: DeclaredBody, { run }: Finding, { path }: Deviation): Promise<boolean> {
    const count = (this.#newFields.get(`${route}\n${run}`) ?? 0) + 1;
    this.#newFields.set(`${route}\n${run}`, count);
    if (count > MOST_NEW) return false;
    const known = this.#known.get(route) ?? (await this.#knownOf(route));
    this.#known.set(route, known);
    if (!known.has(path) && known.size >= MOST_NEW_EVER) return false;
    known.add(path);
    return true;
  }

  /** Returns the new fields of a route that earlier batches listed. */
  async #knownOf(route: string): Promise<Set<string>> {
    const rows = await this.#db.rows<{ path: string }>(
      `SELECT DISTINCT path FROM ledger.shapes WHERE stream = $stream AND route = $route AND kind = 'new field' AND path <> '${OTHERS}'`,
      { stream: this.#stream, route },
    );
    return new Set(rows.map(({ path }) => path));
  }

  #count(
    { route }: DeclaredBody,
    finding: Finding,
    row: Pick<ShapeRow, 'path' | 'kind' | 'type'>,
    sample: string | null = null,
  ): void {
    const { run, first_seen, last_seen } = finding;
    const key = keyOf({ route }, finding, row);
    // Findings are sorted by the time they were first seen. So keep the sample of the first one.
    const old = this.#rows.get(key) ?? {
      ...row,
      stream: this.#stream,
      route,
      run,
      bodies: 0,
      first_seen,
      last_seen,
      sample,
    };
    const latest = old.last_seen > last_seen ? old.last_seen : last_seen;
    this.#rows.set(key, { ...old, bodies: old.bodies + Number(finding.bodies), last_seen: latest });
  }

  /**
   * Returns the values at a path in the bodies in which the finding was first seen. With `type`, returns only values of
   * this type.
   */
  async #firstValues({ first_seen }: Finding, path: string, type?: string): Promise<unknown[]> {
    const isWanted = (value: unknown): boolean => type === undefined || typeOf(structureOf(value)) === type;
    const bodies = await this.#bodiesOf(first_seen);
    return bodies.map((body) => valueAt(body, path, isWanted)).filter((value) => value !== undefined);
  }

  /** Reads the bodies of a time. Keeps them for the next finding: findings are sorted by time, and parsing is slow. */
  async #bodiesOf(at: string): Promise<unknown[]> {
    this.#bodiesAreRead ??= this.#db.runFile(readSqlFile('staging/_shapes_bodies.sql'));
    await this.#bodiesAreRead;
    if (this.#lastBodies?.at === at) return this.#lastBodies.bodies;
    const found = await this.#db.rows<{ doc: string }>(
      'SELECT CAST(doc AS VARCHAR) AS doc FROM first_bodies WHERE observed_at = CAST($at AS TIMESTAMPTZ) ORDER BY body_hash',
      { at },
    );
    const bodies = found.map(({ doc }) => parseLoosely(doc));
    this.#lastBodies = { at, bodies };
    return bodies;
  }

  /**
   * Picks a sample value. If several bodies were fetched at the same time, picks the smallest value. So the size of a
   * batch does not change the result.
   */
  async #sample(finding: Finding, { path, type }: Deviation, personal: boolean): Promise<string | null> {
    // A single value cannot show several types.
    if (type === 'mixed') return null;
    const values = await this.#firstValues(finding, path, type);
    const samples = values.flatMap((value) => sampleOf(value, path, personal) ?? []);
    return samples.toSorted()[0] ?? null;
  }
}

/** Parses JSON. Returns undefined for text that is JSON for DuckDB but not for JavaScript, such as `NaN`. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const V1_REPORT = '$.reports[]';
const V1_INDICATOR = '$.reports[].indicators.*';

function v1Report(shape: Shape): Shape | undefined {
  return shape.fields?.get('reports')?.items;
}

const NOTHING: Comparison = { seen: [], deviations: [] };

function keyOf(
  { route }: Pick<DeclaredBody, 'route'>,
  { run }: Finding,
  { path, kind, type }: Pick<ShapeRow, 'path' | 'kind' | 'type'>,
): string {
  return [route, run, path, kind, type].join('\n');
}
