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
  /** Table that the version makes; null when it is retired. */
  table: string | null;
  /** Last day on which a deprecated version is served; null if it is not deprecated. */
  deprecationDate: string | null;
  /**
   * Text of the file from which the version was built; null when an older Tidemark built it without storing the text.
   */
  definition: string | null;
  /** Columns of the real table, name to type; null for a retired version and for a missing table. */
  columns: ReadonlyMap<string, string> | null;
}

/**
 * How a model differs from its applied version, in the terms of SQLMesh.
 * - `directly modified`: its own file changed.
 * - `indirectly modified`: its file is the same, but a parent, a macro or a seed changed.
 * - `altered`: the model is the same, but somebody changed its table by hand.
 */
export type ChangeKind = 'added' | 'removed' | 'directly modified' | 'indirectly modified' | 'altered' | 'unchanged';

/** The change to one model that `models apply` would make. */
export interface ModelChange extends Effects {
  /** Name of the table, such as `core.companies`. */
  model: string;
  kind: string;
  change: ChangeKind;
  /** Path of the model's file; for a removed model, its former path. */
  file: string;
  /** Last day on which a deprecated version is served; null if it has no last day. */
  deprecationDate: string | null;
  appliedVersion: number | null;
  /** Null when the model is removed. */
  version: number | null;
  /** True builds the whole table. False builds only the changed keys of an incremental model, or nothing. */
  rebuild: boolean;
  /** Changed models that this model reads, or `macros or seeds`. */
  because: string[];
  /** Reasons to refuse: the change breaks a promise of this version, or removes a table that was not deprecated. */
  refused: string[];
  /**
   * Text of the file before the change; null for an added model, or if no text was stored. `after` is null for a
   * removed model.
   */
  before: string | null;
  after: string | null;
}

/** Conditions under which tables may be removed. */
export interface Leave {
  /** Today as `YYYY-MM-DD`: tables whose last day has passed may be removed. */
  day: string;
  /** Tables that the user asked to drop. */
  dropped?: ReadonlySet<string> | undefined;
}

/** Compares the models on disk with the applied ones, in the order of the models on disk. Removed models come last. */
export function planModels(models: readonly Model[], applied: readonly AppliedModel[], leave: Leave): ModelChange[] {
  const current = new Map(applied.flatMap((one) => (one.table === null ? [] : [[one.table, one] as const])));
  const versions = new Map(applied.map((one) => [`${one.model} ${one.version}`, one]));
  const changing = new Set<string>();
  const changes: ModelChange[] = [];
  for (const model of models) {
    const change = planModel(model, current.get(model.model), versions.get(`${model.name} ${model.version}`), changing);
    // A child's fingerprint contains its parent's. Do not add a model whose table somebody altered: a new build
    // restores the same rows.
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
 * Refuses changes that would break readers' queries without notice: a breaking change needs a new version number.
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
  const common = {
    model: model.model,
    kind: model.kind,
    version: model.version,
    file: model.path,
    deprecationDate: model.deprecationDate,
    after: model.text,
  };
  const promised = sameVersion && shapeOf(sameVersion);
  const refused = promised ? compareShapes(promised, after).breaking : [];
  if (sameVersion === undefined && applied !== undefined && model.version < applied.version)
    refused.push(`this version was never applied and is older than the applied version ${applied.version}`);
  if (applied === undefined) {
    const none = { breaking: [], nonBreaking: [], because: [], appliedVersion: null, before: null };
    return { ...common, ...none, change: 'added', rebuild: true, refused };
  }
  const before = shapeOf(applied);
  const effects = before ? compareShapes(before, after) : { breaking: [], nonBreaking: [] };
  const isSame = applied.fingerprint === model.fingerprint;
  const isAltered = isSame && !(applied.columns !== null && sameColumns(applied.columns, after.columns));
  const change = judge(model, applied, isAltered);
  return {
    ...common,
    ...effects,
    change,
    appliedVersion: applied.version,
    rebuild: !isSame || isAltered,
    because: isSame ? [] : because(model, change, changing),
    refused,
    before: applied.definition,
  };
}

function judge(model: Model, applied: AppliedModel, isAltered: boolean): ChangeKind {
  const isSame = applied.fingerprint === model.fingerprint;
  // Without a stored text the cause is unknown, so assume that the file changed.
  if (applied.definition === null ? !isSame : applied.definition !== model.text) return 'directly modified';
  if (!isSame) return 'indirectly modified';
  return isAltered ? 'altered' : 'unchanged';
}

/** Finds the changed parents. All models use the macros and seeds, so name these if no parent changed. */
function because(model: Model, change: ChangeKind, changing: ReadonlySet<string>): string[] {
  const parents = model.parents.filter((parent) => changing.has(parent));
  return parents.length === 0 && change === 'indirectly modified' ? ['macros or seeds'] : parents;
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

/** Shape that an applied version promises: from its header, or from its real columns if no header can be read. */
function shapeOf(applied: AppliedModel): Shape | undefined {
  if (applied.definition !== null) {
    try {
      const name = `${applied.model.replace('.', '/')}.sql`;
      return declaredShape(parseModel({ name, text: applied.definition }));
    } catch {
      // The header was written for an older or newer Tidemark.
    }
  }
  return applied.columns === null ? undefined : { columns: applied.columns, key: null, nullable: [], grain: null };
}
