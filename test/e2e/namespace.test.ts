import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '@temporalio/client';
import type { RunResult } from '../../schemas/pipeline/run.js';
import * as workflows from '../../workflows/index.js';
import { startSystem, type System } from '../helpers/system.js';

const INT = 3;

describe('a new Temporal namespace', () => {
  let system: System;
  let client: Client;

  const makeNamespace = async (namespace: string): Promise<void> => {
    await system.temporal.client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  };

  const execute = (type: string, id: string): Promise<unknown> =>
    client.workflow.execute(type, { taskQueue: 'tidemark-crawl', workflowId: id, args: [{}] });

  beforeAll(async () => {
    system = await startSystem({ market: { companies: 20, tenders: 3, seed: 2 }, worker: null });
    await makeNamespace('bare');
    system.project = system.addProject({}, 'bare');
    client = new Client({ connection: system.temporal.connection, namespace: 'bare' });
    await system.startWorker();
  });

  afterAll(() => system?.stop());

  it('registers search attributes in a new namespace and completes a run', async () => {
    const result = (await execute('tenderSnapshot', 'tenders/bare')) as RunResult;
    expect(result.outcome).toBe('complete');
    const { typedSearchAttributes } = await client.workflow.getHandle('tenders/bare').describe();
    expect(JSON.stringify(typedSearchAttributes)).toContain(result.date);
  });

  it('refuses to start a worker if search attributes have another type', async () => {
    await makeNamespace('other-types');
    await system.temporal.connection.operatorService.addSearchAttributes({
      namespace: 'other-types',
      searchAttributes: { TidemarkDate: INT },
    });
    const refused = system.addProject({}, 'other-types');
    await expect(refused.startWorker()).rejects.toThrow(
      /Search attributes of namespace other-types have a type other than Keyword: TidemarkDate/,
    );
  });

  it('fails a misspelt workflow type at once and lists the types', async () => {
    const failure = (await execute('marketsnapshot', 'snapshot/typo').catch((error: unknown) => error)) as {
      cause?: { type?: string; message?: string; nonRetryable?: boolean };
    };
    expect(failure.cause).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(failure.cause?.message).toMatch(/no workflow type "marketsnapshot"\. Did you mean marketSnapshot\?/);
    // People start no gate, no alert and no check for late nights.
    const internal = ['default', 'quotaGate', 'notify', 'checkNights'];
    const types = Object.keys(workflows).filter((name) => !internal.includes(name));
    for (const type of types) expect(failure.cause?.message).toContain(`${type} {`);
  });
});
