import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { RECORD_STREAMS } from '../../schemas/streams/landing-streams.js';
import type * as AuditModule from '../../src/warehouse/models/audit.js';
import type * as BuildModule from '../../src/warehouse/models/build-model.js';
import type * as CasesModule from '../../src/warehouse/models/cases/read-cases.js';
import type { ModelCase, RowsCase } from '../../src/warehouse/models/cases/read-cases.js';
import type * as CompareModule from '../../src/warehouse/models/cases/compare-rows.js';
import type * as DriftModule from '../../src/warehouse/load/load-drift.js';
import type * as LandModule from '../../src/warehouse/models/cases/land-answers.js';
import type * as LoadModule from '../../src/warehouse/load/load.js';
import type * as ModelFileModule from '../../src/warehouse/models/model-file.js';
import type * as ModelsModule from '../../src/warehouse/models/models.js';
import type { Model } from '../../src/warehouse/models/models.js';
import type * as OpenModule from '../../src/warehouse/duckdb/open.js';
import type { Warehouse } from '../../src/warehouse/duckdb/open.js';
import type * as RowsModule from '../../src/warehouse/models/cases/run-rows-case.js';
import type * as RunModelsModule from '../../src/warehouse/models/run-models.js';
import { readersOf, usesOf, usesWord } from './relations.js';
import { Data } from '../../src/store/data.js';

export type Outcome = 'killed' | 'survived' | 'invalid';

/** One mutated file: its name below `sql/`, its text, and the changed macro if it is a macro file. */
export interface Mutant {
  file: string;
  text: string;
  macro?: string | undefined;
}

/** A case with its tables in place, on which mutants are tried one after the other. */
export interface Trial {
  try(mutant: Mutant): Promise<Outcome>;
  close(): Promise<void>;
}

type AnswersCase = Exclude<ModelCase, RowsCase>;

/** DuckDB's errors for SQL that it rejects. Such a change is no mutant, because nobody could ship it. */
const INVALID = /(?:Parser|Binder|Catalog) Error/;

const GROUPS = [
  ['companies', 'prospecting'],
  ['tenders', 'tender_details'],
  ['financials', 'financials_v1'],
];

/** Opens cases in a copy of the checkout, whose `sql/` may be changed. */
export async function loadTrials(copy: string) {
  const load = async <T>(file: string): Promise<T> =>
    (await import(pathToFileURL(path.join(copy, 'src', file)).href)) as T;
  const { readCases } = await load<typeof CasesModule>('models/cases/read-cases.ts');
  const { compareRows, sortRows } = await load<typeof CompareModule>('models/cases/compare-rows.ts');
  const { landAnswers } = await load<typeof LandModule>('models/cases/land-answers.ts');
  const { runOnRows } = await load<typeof RowsModule>('models/cases/run-rows-case.ts');
  const { loadLanding } = await load<typeof LoadModule>('load/load.ts');
  const { loadDrift } = await load<typeof DriftModule>('load/load-drift.ts');
  const { parseModel } = await load<typeof ModelFileModule>('models/model-file.ts');
  const { readModels } = await load<typeof ModelsModule>('models/models.ts');
  const { openWarehouse } = await load<typeof OpenModule>('duckdb/open.ts');
  const { buildModel, readRelations } = await load<typeof BuildModule>('models/build-model.ts');
  const { runAudits } = await load<typeof AuditModule>('models/audit.ts');
  const { buildModels } = await load<typeof RunModelsModule>('models/run-models.ts');

  // Read once: parsing all models takes longer than most cases.
  const models = await readModels();
  const sql = new Map(models.map(({ model, sql: query }) => [model, query]));

  /** The models that a case checks and all their parents, in build order. */
  function neededBy(testCase: ModelCase): Model[] {
    const asked = (one: Model): boolean =>
      'model' in testCase
        ? testCase.model === one.model
        : testCase.expect.some(({ query }) => usesWord(query, one.model));
    const needed = new Set(models.filter(asked));
    for (const model of models.toReversed())
      if ([...needed].some(({ parents }) => parents.includes(model.model))) needed.add(model);
    return models.filter((model) => needed.has(model));
  }

  /** Whether a case can notice a change of a file. */
  function isRelevant(testCase: ModelCase, { file, macro }: Mutant): boolean {
    const [folder = '', name = ''] = file.replace(/\.sql$/, '').split('/');
    if (folder === 'macros') {
      const { staging, models: using } = usesOf(copy, macro ?? '');
      if (neededBy(testCase).some(({ model }) => using.has(model)))
        return 'model' in testCase ? using.has(testCase.model) : true;
      return !('model' in testCase) && testCase.given.some(({ stream }) => staging.has(stream) || staging.has('_'));
    }
    if (folder === 'staging') return !('model' in testCase) && stagesBy(testCase, name);
    const named = `${folder}.${name}`;
    return 'model' in testCase ? testCase.model === named : neededBy(testCase).some(({ model }) => model === named);
  }

  function stagesBy(testCase: AnswersCase, name: string): boolean {
    const streams = stepsOf(testCase).flatMap((given) => given.map(({ stream }) => stream));
    if (name.startsWith('_shapes') && !readsDrift(testCase)) return false;
    if (name === '_shapes_by_year') return streams.includes('financials');
    if (name === '_shapes_v1_reports') return streams.includes('financials_v1');
    if (name === '_records') return streams.some((stream) => RECORD_STREAMS.has(stream));
    return name.startsWith('_') || streams.some((stream) => stream === name);
  }

  function readsDrift(testCase: AnswersCase): boolean {
    return neededBy(testCase).some(({ model }) => usesWord(sql.get(model) ?? '', 'ledger.shapes'));
  }

  function withText(model: Model, text: string): Model {
    return { ...model, sql: parseModel({ name: model.file, text }).sql };
  }

  async function rolledBack(db: Warehouse['db'], work: () => Promise<Outcome>): Promise<Outcome> {
    await db.run('BEGIN TRANSACTION');
    try {
      return await work();
    } catch (error) {
      return INVALID.test(String(error)) ? 'invalid' : 'killed';
    } finally {
      await db.run('ROLLBACK').catch(() => undefined);
    }
  }

  async function openEmpty(): Promise<{ dataDir: string; warehouse: Warehouse; close: () => Promise<void> }> {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-mutant-'));
    const warehouse = await openWarehouse(new Data(dataDir));
    const close = async (): Promise<void> => {
      await warehouse.close();
      rmSync(dataDir, { recursive: true, force: true });
    };
    return { dataDir, warehouse, close };
  }

  /** Tests rows of one model: its inputs stay, and each mutant is only queried. */
  async function openRows(testCase: RowsCase): Promise<Trial> {
    const { warehouse, close } = await openEmpty();
    const { db } = warehouse;
    const model = models.find((one) => one.model === testCase.model);
    if (model === undefined) throw new Error(`${testCase.name}: there is no model ${testCase.model}`);
    const expected = sortRows(testCase.expect.rows);
    if (compareRows(expected, sortRows(await runOnRows(db, testCase, models))).length > 0) throw failsAnyway(testCase);
    const columns = [...new Set(testCase.expect.rows.flatMap((row) => Object.keys(row)))];
    const wanted = columns.map((column) => `"${column}"`).join(', ') || '*';
    return {
      close,
      try: (mutant) =>
        rolledBack(db, async () => {
          if (mutant.macro !== undefined) await db.runFile({ name: mutant.file, text: mutant.text });
          const { sql: query } = mutant.macro === undefined ? withText(model, mutant.text) : model;
          const actual = await db.rows(`SELECT ${wanted} FROM (${query})`);
          return compareRows(expected, sortRows(actual)).length > 0 ? 'killed' : 'survived';
        }),
    };
  }

  async function ask(db: Warehouse['db'], testCase: AnswersCase): Promise<Outcome> {
    for (const { query, rows } of testCase.expect)
      if (compareRows(rows, await db.rows(query)).length > 0) return 'killed';
    return 'survived';
  }

  /** Tests answers that were loaded and built once: a mutant is built together with the models that read it. */
  async function openBuilt(testCase: AnswersCase): Promise<Trial> {
    const { dataDir, warehouse, close } = await openEmpty();
    const { db } = warehouse;
    for (const given of stepsOf(testCase)) {
      await landAnswers(dataDir, given);
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse, { personalData: true });
    }
    if ((await ask(db, testCase)) !== 'survived') throw failsAnyway(testCase);
    const needed = neededBy(testCase);
    const existing = await readRelations(db);
    return {
      close,
      try: (mutant) =>
        rolledBack(db, async () => {
          const name = mutant.file.replace(/\.sql$/, '').replace('/', '.');
          const readers = readersOf(sql, name);
          for (const model of needed.filter((one) => one.model === name || readers.has(one.model))) {
            await buildModel(db, model.model === name ? withText(model, mutant.text) : model, 'whole', existing);
            if (await breaksAudit(db, model)) return 'killed';
          }
          return ask(db, testCase);
        }),
    };
  }

  async function breaksAudit(db: Warehouse['db'], model: Model): Promise<boolean> {
    return (await runAudits(db, model)).some(({ severity, failingRows }) => severity === 'error' && failingRows > 0);
  }

  /** Tests answers that were landed once: each mutant loads them, and builds only if its ledger differs. */
  async function openLanded(testCase: AnswersCase): Promise<Trial> {
    const { dataDir, warehouse, close } = await openEmpty();
    const { db } = warehouse;
    const steps = stepsOf(testCase).map((given, step) => ({ given, folder: path.join(dataDir, `step-${step}`) }));
    for (const { given, folder } of steps) {
      await landAnswers(path.join(folder, 'all'), given);
      for (const group of new Set(given.map(({ stream }) => groupOf(stream))))
        await landAnswers(
          path.join(folder, group),
          given.filter(({ stream }) => groupOf(stream) === group),
        );
    }
    const needed = neededBy(testCase);
    let hasInvalidDrift = false;
    const drift = async (of: Warehouse['db'], stream: string): Promise<void> => {
      await loadDrift(of, stream).catch((error: unknown) => {
        hasInvalidDrift ||= INVALID.test(String(error));
        throw error;
      });
    };
    // One transaction around everything, so that the next mutant begins with an empty ledger.
    db.transaction = (work) => work();
    const loadStep = (folder: string, group: string) =>
      loadLanding(warehouse, new Data(path.join(folder, group)), {
        drift: readsDrift(testCase) ? drift : () => Promise.resolve(),
      });
    const readLedgers = async (group: string): Promise<string> => {
      const ledgers: string[] = [];
      for (const { folder } of steps) {
        await loadStep(folder, group);
        ledgers.push(await readLedger(db, steps.length > 1));
      }
      return ledgers.join('\n');
    };
    const run = async (): Promise<Outcome> => {
      for (const { folder } of steps) {
        await loadStep(folder, 'all');
        await buildModels(warehouse, { personalData: true, models: needed });
      }
      return ask(db, testCase);
    };
    if ((await rolledBack(db, run)) !== 'survived') throw failsAnyway(testCase);
    const unchanged = new Map<string, string>();
    const isLoadedAlike = async (group: string, prepare: () => Promise<void>): Promise<boolean> => {
      const outcome = await rolledBack(db, async () => {
        await prepare();
        const ledgers = await readLedgers(group);
        if (!unchanged.has(group)) unchanged.set(group, ledgers);
        return ledgers === unchanged.get(group) ? 'survived' : 'killed';
      });
      return outcome === 'survived';
    };
    const groups = new Set(stepsOf(testCase).flatMap((given) => given.map(({ stream }) => groupOf(stream))));
    for (const group of ['all', ...groups]) await isLoadedAlike(group, () => Promise.resolve());
    return {
      close,
      try: async ({ file, text, macro }) => {
        const isInModels = macro !== undefined && needed.some(({ model }) => usesOf(copy, macro).models.has(model));
        const prepare = async (): Promise<void> => {
          if (macro !== undefined) await db.runFile({ name: file, text });
        };
        const stream = path.basename(file, '.sql');
        const group = macro === undefined && !stream.startsWith('_') ? groupOf(stream) : 'all';
        const putBack = macro === undefined ? putMutant(path.join(copy, 'sql', file), text) : undefined;
        hasInvalidDrift = false;
        try {
          const isAlike = await isLoadedAlike(group, prepare);
          if (hasInvalidDrift) return 'invalid';
          if (isAlike && !isInModels) return 'survived';
          return await rolledBack(db, async () => {
            await prepare();
            return run();
          });
        } finally {
          putBack?.();
        }
      },
    };
  }

  return {
    cases: readCases([path.join(copy, 'test/sql/cases')]),
    isRelevant,
    open: (testCase: ModelCase, folder: string): Promise<Trial> => {
      if ('model' in testCase) return openRows(testCase);
      return folder === 'staging' || folder === 'macros' ? openLanded(testCase) : openBuilt(testCase);
    },
  };
}

/** Streams merged into the same rows of the ledger; others are loaded separately. */
function groupOf(stream: string): string {
  return GROUPS.find((group) => group.includes(stream))?.join('+') ?? stream;
}

/** The answers before the models were first built, and those after. */
function stepsOf({ given, later }: AnswersCase): AnswersCase['given'][] {
  return later === undefined ? [given] : [given, later];
}

/** One hash of everything loaded. Tables that only list changed keys matter where models are built more than once. */
async function readLedger(db: Warehouse['db'], isBuiltTwice: boolean): Promise<string> {
  const tables = await db.rows<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
     WHERE schema_name IN ('ledger', 'base') AND database_name = current_database() AND table_name <> 'loaded_parts'
     ${isBuiltTwice ? '' : "AND NOT starts_with(table_name, 'dirty_')"}`,
  );
  const hashes = tables.map(
    ({ name }) => `SELECT '${name}' AS name, count(*) AS n, sum(hash(t)) AS h FROM ${name} AS t`,
  );
  return JSON.stringify(await db.rows(`FROM (${hashes.join(' UNION ALL ')}) ORDER BY name`));
}

/** Replaces a file by a mutant; the result restores the file. */
function putMutant(file: string, text: string): () => void {
  const original = readFileSync(file, 'utf8');
  writeFileSync(file, text);
  return () => writeFileSync(file, original);
}

function failsAnyway({ name }: { name: string }): Error {
  return new Error(`The case "${name}" fails without any change: correct it first.`);
}
