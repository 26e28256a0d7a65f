import { ModelFailedError } from '../duckdb/errors.js';

import { parseModel, type Model } from './models.js';
import { compareShapes, declaredShape, sameColumns, type Effects, type Shape } from './compare-shapes.js';

/** One version of a model as the warehouse records it. */
export interface AppliedModel {
  model: string;
  version: number;
  kind: string;
  fingerprint: string;
  state: 'current' | 'deprecated' | 'retired';
  /** Table that the version makes; null when the version is retired. */
  table: string | null;
  /** Last day on which a deprecated version is served; null if the version is not deprecated. */
  deprecationDate: string | null;
  /** Text of the file from which the version was built. */
  definition: string;
  /** Types of the existing table's columns, by column name. Null for a retired version and for a missing table. */
  columns: ReadonlyMap<string, string> | null;
}

/**
 * How a model differs from its applied version. The terms are those of SQLMesh.
 * - `directly modified`: the model's own file changed.
 * - `indirectly modified`: the file is the same, but a parent, a macro or a seed changed.
 * - `altered`: the model is the same, but somebody changed the columns of its table by hand.
 */
export type ChangeKind = 'added' | 'removed' | 'directly modified' | 'indirectly modified' | 'altered' | 'unchanged';

/** The change that `models apply` would make to one model. */
export interface ModelChange extends Effects {
  /** Name of the table, such as `core.companies`. */
  model: string;
  kind: string;
  change: ChangeKind;
  /** Path of the model's file. For a removed model, the path that the file had. */
  file: string;
  /** Last day on which a deprecated version is served; null if no such day is set. */
  deprecationDate: string | null;
  appliedVersion: number | null;
  /** Version on disk. Null when the model is removed. */
  version: number | null;
  /** True: build the whole table because the model changed. False: build it as each run does. */
  rebuild: boolean;
  /**
   * For an indirectly modified model: the changed models that it reads, and the changed files of own macros and seeds.
   * If none is known, the text `macros or seeds`. Else empty.
   */
  because: string[];
  /**
   * Reasons to refuse the change: it breaks a promise of this version, or it removes a table that was not deprecated.
   */
  refused: string[];
  /**
   * Text of the file before the change. Null for an added model. `after` is null for a removed model.
   */
  before: string | null;
  after: string | null;
}

/** Conditions under which tables may be removed. */
export interface Leave {
  /** Today as `YYYY-MM-DD`. Tables whose last day has passed may be removed. */
  day: string;
  /** Tables that the user asked to drop. */
  dropped?: ReadonlySet<string> | undefined;
}

/**
 * Compares the models on disk with the applied models. The result has the order of the models on disk; removed models
 * come last.
 * @param changedFiles Files of own macros and seeds that changed, as in `SqlFile`
 */
export function planModels(
  models: readonly Model[],
  applied: readonly AppliedModel[],
  leave: Leave,
  changedFiles: ReadonlySet<string> = new Set(),
): ModelChange[] {
  const current = new Map(applied.flatMap((one) => (one.table === null ? [] : [[one.table, one] as const])));
  const versions = new Map(applied.map((one) => [`${one.model} ${one.version}`, one]));
  const changing = new Set<string>();
  const changes: ModelChange[] = [];
  for (const model of models) {
    const versionBefore = versions.get(`${model.name} ${model.version}`);
    const change = planModel(model, current.get(model.model), versionBefore, new Set([...changing, ...changedFiles]));
    // A changed fingerprint also changes the fingerprints of the models that read this model. A table that somebody
    // altered does not count here: a new build restores the same rows.
    if (current.get(model.model)?.fingerprint !== model.fingerprint) changing.add(model.model);
    changes.push(change);
  }
  const gone = [...current].filter(([table]) => !models.some(({ model }) => model === table));
  return [
    ...changes,
    ...gone.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([table, one]) => planRemoval(table, one, leave)),
  ];
}

/**
 * Throws if a change would break queries of readers. Such a change needs a new version number.
 * @throws ModelFailedError with the name of each model and what breaks
 */
export function refuseBreaking(changes: readonly ModelChange[]): void {
  const refused = changes.filter((change) => change.refused.length > 0);
  if (refused.length === 0) return;
  throw new ModelFailedError(
    refused
      .map(
        ({ model, version, appliedVersion, refused: why }) =>
          `${model} breaks readers of version ${version ?? appliedVersion}: ${why.join('; ')}.`,
      )
      .join('\n'),
    [
      ...refused.filter(({ change }) => change !== 'removed').map(wayOut),
      ...wayOutOfRemoval(refused.filter(({ change }) => change === 'removed')),
      'Nothing was built; the current build stays current. `tidemark models plan` shows the complete change.',
    ].join('\n'),
  );
}

function wayOutOfRemoval(removed: readonly ModelChange[]): string[] {
  if (removed.length === 0) return [];
  const files = removed.map(({ file }) => file).join(', ');
  const tables = removed.map(({ model }) => model).join(' ');
  return [
    `Restore ${files} (or your override in the folder that \`models\` names). A table is removed after the \`deprecation_date\` in its header. To drop ${removed.length === 1 ? 'the table' : 'the tables'} now: tidemark models apply --drop ${tables}`,
  ];
}

function wayOut({ model, version, file, deprecationDate }: ModelChange): string {
  if (deprecationDate !== null) return `Restore version ${version} of ${file}: some readers still use it.`;
  const older = file.replace(/\.sql$/, `_v${version}.sql`);
  return `Raise \`version\` in the header of ${file}, or undo the breaking change. To serve the old version too for some time, keep the old file as ${older} with a \`deprecation_date\`: it makes the table ${model}_v${version}.`;
}

function planModel(
  model: Model,
  applied: AppliedModel | undefined,
  sameVersion: AppliedModel | undefined,
  changing: ReadonlySet<string>,
): ModelChange {
  const after = declaredShape(model);
  const before = applied && shapeOf(applied, model);
  const promised = sameVersion && shapeOf(sameVersion, model);
  const refused = promised ? compareShapes(promised, after).breaking : [];
  if (sameVersion === undefined && applied !== undefined && model.version < applied.version)
    refused.push(`this version was never applied and is older than the applied version ${applied.version}`);
  const isSame = applied?.fingerprint === model.fingerprint;
  const change = judge(model, applied, after);
  return {
    model: model.model,
    kind: model.kind,
    change,
    file: model.path,
    deprecationDate: model.deprecationDate,
    appliedVersion: applied?.version ?? null,
    version: model.version,
    ...(before ? compareShapes(before, after) : { breaking: [], nonBreaking: [] }),
    rebuild: !isSame || change === 'altered',
    because: isSame || change === 'added' ? [] : because(model, change, changing),
    refused,
    before: applied?.definition ?? null,
    after: model.text,
  };
}

function judge(model: Model, applied: AppliedModel | undefined, { columns }: Shape): ChangeKind {
  if (applied === undefined) return 'added';
  const isSame = applied.fingerprint === model.fingerprint;
  if (isSame && (applied.columns === null || !sameColumns(applied.columns, columns))) return 'altered';
  if (applied.definition !== model.text) return 'directly modified';
  return isSame ? 'unchanged' : 'indirectly modified';
}

/** Returns what a model reads and what changed. If nothing is known, the shipped macros or seeds changed. */
function because(model: Model, change: ChangeKind, changing: ReadonlySet<string>): string[] {
  const files = new Set((model.uses ?? []).flatMap(({ file }) => [file, file.replace(/\.csv$/, '.yml')]));
  const causes = [...model.parents, ...files].filter((name) => changing.has(name));
  if (causes.length === 0 && change === 'indirectly modified') return ['macros or seeds'];
  return causes.map((name) => name.replace(/^own\//, ''));
}

function planRemoval(table: string, applied: AppliedModel, { day, dropped }: Leave): ModelChange {
  const until = applied.deprecationDate;
  const mayGo = dropped?.has(table) === true || (until !== null && until < day);
  return {
    model: table,
    kind: applied.kind,
    change: 'removed',
    file: `sql/${table.replace('.', '/')}.sql`,
    deprecationDate: applied.deprecationDate,
    appliedVersion: applied.version,
    version: null,
    breaking: ['the table is no longer published'],
    nonBreaking: [],
    rebuild: false,
    because: [],
    refused: mayGo ? [] : [until === null ? 'the file of the table is missing' : `the table is served until ${until}`],
    before: applied.definition,
    after: null,
  };
}

/**
 * Returns the shape that an applied version promises. Reads it from the stored header, or from the columns of the table
 * if the header cannot be read.
 */
function shapeOf(applied: AppliedModel, model: Model): Shape | undefined {
  if (applied.definition === model.text) return declaredShape(model);
  try {
    const name = `${applied.model.replace('.', '/')}.sql`;
    return declaredShape(parseModel({ name, text: applied.definition }));
  } catch {
    // Another version of Tidemark wrote this header.
  }
  return applied.columns === null ? undefined : { columns: applied.columns, key: null, nullable: [], grain: null };
}
