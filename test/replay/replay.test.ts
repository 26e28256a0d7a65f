import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../src/temporal/worker/bundle.js';
import * as workflows from '../../workflows/index.js';
import { ROOT } from '../helpers/processes.js';

const folder = path.join(import.meta.dirname, 'histories');
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

// Runs that wait for days continue on new code, and so do all runs of workers without a version. So today's workflows
// must replay histories recorded from committed code (npm run histories).
describe('recorded histories', () => {
  let bundle: WorkflowBundleWithSourceMap;

  beforeAll(async () => {
    bundle = await bundleWorkflows(ROOT);
  });

  it('include each workflow type, and each end that continues as new', () => {
    const types = names.map((name) => /"workflowType":\{"name":"(\w+)"\}/.exec(readHistory(name))?.[1]);
    const exported = Object.keys(workflows).filter((type) => type !== 'default');
    expect(new Set(types)).toEqual(new Set(exported));
    const continued = names.filter((name) =>
      readHistory(name).includes('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW'),
    );
    expect(continued).toEqual(
      expect.arrayContaining(['market-snapshot-continues-as-new.json', 'quota-gate-continues-as-new.json']),
    );
  });

  it.each(names)("replays the history %s with today's workflows", async (name) => {
    await expect(replay(bundle, readHistory(name))).resolves.toBeUndefined();
  });

  it('fails to replay a history that the workflow does not follow', async () => {
    const changed = readHistory('market-snapshot.json').replaceAll('"discoverMarket"', '"discoverTheMarket"');
    await expect(replay(bundle, changed)).rejects.toThrow(DeterminismViolationError);
  });
});

function readHistory(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

async function replay(workflowBundle: WorkflowBundleWithSourceMap, json: string): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, historyFromJSON(JSON.parse(json)), 'replayed');
}
