import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as workflows from '../../workflows/index.js';
import { STARTABLE, unknownType } from '../../workflows/unknown-type.js';
import { resetTemporal, temporal } from './fake-temporal.js';

// Unit test files share a process; workflows loaded by another file would keep that file's mocks.
vi.hoisted(() => vi.resetModules());
vi.mock('@temporalio/workflow', async (original) => {
  const fake = await import('./fake-temporal.js');
  return { ...(await original<object>()), ...fake.temporal.exports };
});

const start = (workflowType: string): Promise<never> => {
  temporal.info = { workflowType };
  return unknownType();
};

describe('a workflow type that does not exist', () => {
  beforeEach(() => resetTemporal());

  it('fails at once and lists the workflow types with examples', async () => {
    await expect(start('nothing')).rejects.toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    await expect(start('nothing')).rejects.toThrow(
      /^Tidemark has no workflow type "nothing"\. Start one of these types; .*: marketSnapshot \{"market": "demo"\}; tenderSnapshot \{\}; /,
    );
  });

  it.each([
    ['market-snapshot', 'marketSnapshot'],
    ['MARKETSNAPSHOT', 'marketSnapshot'],
    ['watch_sync', 'watchSync'],
    ['Back Fill', 'backfill'],
  ])('for the unknown type %s suggests %s', async (typed, meant) => {
    await expect(start(typed)).rejects.toThrow(`Tidemark has no workflow type "${typed}". Did you mean ${meant}?`);
  });
});

it('lists existing workflows with examples in JSON', () => {
  for (const [type, input] of Object.entries(STARTABLE)) {
    expect(workflows).toHaveProperty(type);
    expect(JSON.parse(input)).toBeTypeOf('object');
  }
});
