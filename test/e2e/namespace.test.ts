import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { startTemporal } from '../helpers/temporal.js';
import * as workflows from '../../workflows/index.js';

const INT = 3;

describe('a Temporal namespace nobody has set up', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess | undefined;
  let client: Client;

  const makeNamespace = async (namespace: string): Promise<void> => {
    await temporal.client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  };

  const execute = (type: string, id: string): Promise<unknown> =>
    client.workflow.execute(type, { taskQueue: 'tidemark-crawl', workflowId: id, args: [{}] });

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox({ companies: 20, tenders: 3, seed: 2 })]);
    await makeNamespace('bare');
    project = makeProject({ api: sandbox, temporal: temporal.address, namespace: 'bare' });
    client = new Client({ connection: temporal.connection, namespace: 'bare' });
    worker = await project.startWorker();
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('gets its search attributes from the first worker, and runs end', async () => {
    const result = (await execute('tenderSnapshot', 'tenders/bare')) as RunResult;
    expect(result.outcome).toBe('complete');
    const { typedSearchAttributes } = await client.workflow.getHandle('tenders/bare').describe();
    expect(JSON.stringify(typedSearchAttributes)).toContain(result.date);
  });

  it('of attributes that cannot be used keeps the worker from starting', async () => {
    await makeNamespace('other-types');
    await temporal.connection.operatorService.addSearchAttributes({
      namespace: 'other-types',
      searchAttributes: { TidemarkDate: INT },
    });
    const refused = makeProject({ api: sandbox, temporal: temporal.address, namespace: 'other-types' });
    try {
      await expect(refused.startWorker()).rejects.toThrow(
        /Search attributes of namespace other-types have a type other than Keyword: TidemarkDate/,
      );
    } finally {
      refused.remove();
    }
  });

  it('fails a misspelt workflow type at once and lists the types', async () => {
    const failure = (await execute('marketsnapshot', 'snapshot/typo').catch((error: unknown) => error)) as {
      cause?: { type?: string; message?: string; nonRetryable?: boolean };
    };
    expect(failure.cause).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(failure.cause?.message).toMatch(/no workflow type "marketsnapshot"\. Did you mean marketSnapshot\?/);
    const types = Object.keys(workflows).filter((name) => name !== 'default' && name !== 'quotaGate');
    for (const type of types) expect(failure.cause?.message).toContain(`${type} {`);
  });
});
