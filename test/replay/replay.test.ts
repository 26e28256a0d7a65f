import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../src/temporal/bundle.js';
import { ROOT } from '../helpers/processes.js';

const folder = path.join(import.meta.dirname, 'histories');
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

// A run that is open during a deployment continues with the new code. Today's workflows must replay histories recorded
// from committed code (npm run histories).
describe('recorded histories', () => {
  let bundle: WorkflowBundleWithSourceMap;

  beforeAll(async () => {
    bundle = await bundleWorkflows(ROOT);
  });

  it('finds recorded histories', () => {
    expect(names.length).toBeGreaterThan(0);
  });

  it.each(names)("replays the history %s with today's workflows", async (name) => {
    await expect(replay(bundle, readHistory(name))).resolves.toBeUndefined();
  });

  it('fails to replay a history that the workflow does not follow', async () => {
    const changed = readHistory('market-snapshot-first-night.json').replaceAll(
      '"discoverMarket"',
      '"discoverTheMarket"',
    );
    await expect(replay(bundle, changed)).rejects.toThrow(DeterminismViolationError);
  });
});

function readHistory(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

async function replay(workflowBundle: WorkflowBundleWithSourceMap, json: string): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, historyFromJSON(JSON.parse(json)), 'replayed');
}
