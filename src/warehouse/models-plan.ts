import { ModelFailedError } from './errors.js';

import { parseModel, type Model } from './models.js';
import { compareShapes, declaredShape, sameColumns, type Effects, type Shape } from './models-plan-compare.js';

/** One version of a model as the warehouse knows it. */
export interface AppliedModel {
  model: string;
  version: number;
  kind: string;
  fingerprint: string;
  state: 'current' | 'deprecated' | 'retired';
  /** The table it makes; null when it is retired. */
  table: string | null;
  /** Last day a deprecated one is served. */
  deprecationDate: string | null;
  /** Text of the file it was built from; null where it was built before these were kept. */
  definition: string | null;
  /** Columns of the real table, names to types; null for versions that are retired, and where there is none. */
  columns: ReadonlyMap<string, string> | null;
}

/** Words as SQLMesh uses them; `altered`: the model is as it was, the table is not. */
export type ChangeKind = 'added' | 'removed' | 'directly modified' | 'indirectly modified' | 'altered' | 'unchanged';

/** What applying the models on disk does to one of them. */
export interface ModelChange extends Effects {
  /** The table. */
  model: string;
  kind: string;
  change: ChangeKind;
  /** Where its file is, or was. */
  file: string;
  /** Last day a deprecated one is served; null where it stays. */
  deprecationDate: string | null;
  appliedVersion: number | null;
  /** Null when it is removed. */
  version: number | null;
  /** The table is built whole; else only the keys that changed (incremental models), or nothing is new. */
  rebuild: boolean;
  /** Models it reads that change, or `macros or seeds`. */
  because: string[];
  /** Why it cannot be applied: it breaks what this very version promises, or takes away what none has deprecated. */
  refused: string[];
  /** Text of the file; null before it was added, after it was removed, or where none was kept. */
  before: string | null;
  after: string | null;
}

/** Which tables may go. */
export interface Leave {
  /** Today, `YYYY-MM-DD`: those that were served until a day before it. */
  day: string;
  /** Those a person has named. */
  dropped?: ReadonlySet<string> | undefined;
}

/** Compares the models on disk, in their order, with those applied; removed ones come last. */
export function planModels(models: readonly Model[], applied: readonly AppliedModel[], leave: Leave): ModelChange[] {
  const current = new Map(applied.flatMap((one) => (one.table === null ? [] : [[one.table, one] as const])));
  const versions = new Map(applied.map((one) => [`${one.model} ${one.version}`, one]));
  const changing = new Set<string>();
  const changes: ModelChange[] = [];
  for (const model of models) {
    const change = planModel(model, current.get(model.model), versions.get(`${model.name} ${model.version}`), changing);
    // Its fingerprint is part of its children's; a table that is only mended gives the rows it gave.
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
 * Refuses what would break queries without a word: readers tell a new version by its number.
 * @throws ModelFailedError naming each model and what breaks
 */
export function refuseBreaking(changes: readonly ModelChange[]): void {
  const refused = changes.filter((change) => change.refused.length > 0);
  if (refused.length === 0) return;
  throw new ModelFailedError(
    refused
      .map(
        ({ model, version, appliedVersion, refused: why }) =>
          `${model} breaks what version ${version ?? appliedVersion} promises: ${why.join('; ')}.`,
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
    `Restore ${files} (or your override in the folder that \`models\` names). A table is removed after the \`deprecation_date\` in its header. To drop ${removed.length === 1 ? 'it' : 'them'} now: tidemark models apply --drop ${tables}`,
  ];
}

function wayOut({ model, version, file, deprecationDate }: ModelChange): string {
  if (deprecationDate !== null) return `Restore ${file} to version ${version}: some readers still use that version.`;
  const older = file.replace(/\.sql$/, `_v${version}.sql`);
  return `Raise \`version\` in the header of ${file}, or undo the breaking change. To serve ${model}_v${version} as well for a while, keep the old file as ${older}, with a \`deprecation_date\`.`;
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
    refused.push(`it was never applied and is older than the applied version ${applied.version}`);
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
  // Where no definition was kept, all that is certain is that something changed: it may be the file.
  if (applied.definition === null ? !isSame : applied.definition !== model.text) return 'directly modified';
  if (!isSame) return 'indirectly modified';
  return isAltered ? 'altered' : 'unchanged';
}

/** Macros and seeds belong to every model: where no parent changes and the file is the same, it was they. */
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

/** What an applied version promises: its header; where none was kept (or can be read), its real columns. */
function shapeOf(applied: AppliedModel): Shape | undefined {
  if (applied.definition !== null) {
    try {
      const name = `${applied.model.replace('.', '/')}.sql`;
      return declaredShape(parseModel({ name, text: applied.definition }));
    } catch {
      // A header of an older or newer Tidemark.
    }
  }
  return applied.columns === null ? undefined : { columns: applied.columns, key: null, nullable: [], grain: null };
}
