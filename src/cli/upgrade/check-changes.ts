import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import { warehouseFile } from '../../store/data-folder.js';
import { formatCount } from '../../../schemas/format.js';
import { WarehouseBusyError } from '../../warehouse/duckdb/errors.js';
import { readOnly } from '../../warehouse/duckdb/open.js';
import { hasSchema, WarehouseOutdatedError } from '../../warehouse/duckdb/schema.js';
import { readManifests } from '../../landing/index.js';
import { refuseBreaking } from '../../warehouse/models/plan.js';
import { readPlan } from '../../warehouse/models/read-plan.js';
import { bundleId, loadWorkflowBundle } from '../../temporal/worker/bundle.js';
import type { TemporalClient } from '../../temporal/connect.js';
import { connectForFolder } from '../../temporal/connect-folder.js';
import { declaredSchedules, planSchedules } from '../../temporal/schedules.js';
import { nameOf, readVersions, shouldPromote, type VersionState } from '../../temporal/versions.js';
import { changes, hinders, none, unknown, type Change } from './change.js';

/** Compares the installed version with warehouse, models, workers and schedules. Changes nothing. */
export async function checkChanges(config: Config, now: Date): Promise<Change[]> {
  return [
    none('settings', `${config.file} is valid. This version has no deprecated settings.`),
    await checkSchema(config.dataDir),
    await checkModels(config, now),
    ...(await checkServer(config)),
  ];
}

async function checkSchema(dataDir: string): Promise<Change> {
  const file = warehouseFile(dataDir);
  if (!existsSync(file)) return none('warehouse', 'There is no warehouse yet. The first run creates it.');
  try {
    await readOnly(file, hasSchema);
    return none('warehouse', 'This version can use the warehouse as it is.');
  } catch (error) {
    if (error instanceof WarehouseBusyError) return unknown('warehouse', error);
    if (!(error instanceof WarehouseOutdatedError)) return hinders('warehouse', error);
  }
  const parts = readManifests(dataDir, {}, () => undefined).length;
  const message = `The next run makes the warehouse again from ${formatCount(parts)} landed parts, without requests. Readers keep the published build meanwhile.`;
  return changes('warehouse', message, []);
}

async function checkModels({ dataDir, modelsDir }: Config, now: Date): Promise<Change> {
  try {
    const plan = await readPlan(dataDir, { modelsDir, now });
    if (plan.comparedWith === 'none')
      return none('models', 'There is no warehouse yet. The first run builds all models.');
    refuseBreaking(plan.changes);
    const changed = plan.changes.filter(({ change }) => change !== 'unchanged');
    const items = changed.map(({ model, change, rebuild }) => `${model}: ${change}${rebuild ? ', whole table' : ''}`);
    if (plan.held !== null) {
      const message = `Since the rollback of ${plan.held.since}, runs build the restored models. They build the installed models after \`tidemark models apply\`.`;
      return none('models', message, items);
    }
    if (changed.length === 0) return none('models', `All ${formatCount(plan.changes.length)} models are as applied.`);
    const message = `The next run builds ${count(changed, 'changed model')}. \`tidemark models plan\` shows each change.`;
    return changes('models', message, items);
  } catch (error) {
    return error instanceof WarehouseBusyError ? unknown('models', error) : hinders('models', error);
  }
}

async function checkServer(config: Config): Promise<Change[]> {
  let temporal: TemporalClient;
  try {
    temporal = await connectForFolder(config.dataDir, 'read');
  } catch (error) {
    return [unknown('workers', error), unknown('schedules', error)];
  }
  try {
    return [
      await checkWorkers(config, temporal).catch((error: unknown) => unknown('workers', error)),
      await checkSchedules(config, temporal).catch((error: unknown) => unknown('schedules', error)),
    ];
  } finally {
    await temporal.close();
  }
}

async function checkWorkers({ worker }: Config, { client }: TemporalClient): Promise<Change> {
  const alone = 'Workers have no version, so open runs continue on the workers that you start.';
  const state = await readVersions(client);
  if (state === null) return none('workers', `${alone} (This Temporal server has no Worker Deployments.)`);
  return describeVersions(state, bundleId(await loadWorkflowBundle()), worker.versioning === 'auto');
}

/**
 * Describes on which versions new and open runs work after the upgrade. Pure.
 * @param installed version of the installed workflows
 * @param promotes whether workers make their version current themselves
 */
export function describeVersions(state: VersionState, installed: string, promotes: boolean): Change {
  const items = state.pinned
    .filter(({ build }) => build !== installed)
    .map(({ workflowId, build }) =>
      state.live.has(build)
        ? `${workflowId}: open on ${nameOf(build)}, and ends there: keep a worker of this version until then`
        : `${workflowId}: waits, because ${nameOf(build)} has no worker: start one, or run \`tidemark stop --run ${workflowId}\``,
    );
  if (installed === state.current) {
    const message = `The installed ${nameOf(installed)} is current.`;
    return items.length === 0 ? none('workers', message) : changes('workers', message, items);
  }
  const when =
    promotes && shouldPromote(installed, state, state.live)
      ? 'when its first worker starts'
      : 'after its first worker started and you ran `tidemark workers promote`';
  const message = `New runs start on the installed ${nameOf(installed)} ${when}. Until then, they start on ${nameOf(state.current)}.`;
  return changes('workers', message, items);
}

async function checkSchedules(config: Config, { client }: TemporalClient): Promise<Change> {
  const planned = await planSchedules(client, declaredSchedules(config));
  const changed = planned.filter(({ change }) => change !== 'unchanged');
  if (changed.length === 0) return none('schedules', `${count(planned, 'schedule')}: nothing to change.`);
  const message = `\`tidemark schedule apply\` changes ${count(changed, 'schedule')}.`;
  return changes(
    'schedules',
    message,
    changed.map(({ id, change }) => `${id}: ${change}`),
  );
}

function count(things: readonly unknown[], name: string): string {
  return `${formatCount(things.length)} ${name}${things.length === 1 ? '' : 's'}`;
}
