import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { RunContext, WorkflowType } from '../../../../schemas/pipeline/run.js';
import { createClock } from '../../../../src/base/time/clock.js';
import type { Config } from '../../../../src/config/config.js';
import { askedQuestions } from '../../../../src/crawl/streams/asked-questions.js';
import { Data } from '../../../../src/store/data.js';

it.each<[WorkflowType, RegExp]>([
  ['resolveCompanies', /`tidemark resolve FILE\.csv`/],
  ['enrichPeople', /`tidemark enrich FILE\.csv --people`/],
])('names the command that makes the missing list of %s', async (workflowType, command) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-asked-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const deps = { config: { dataDir } as Config, data: new Data(dataDir), clock: createClock({}) };
  const ctx = { workflowType, file: 'missing.json' } as RunContext;
  await expect(askedQuestions(deps, ctx)).rejects.toMatchObject({
    type: 'InvalidInput',
    todo: expect.stringMatching(command) as string,
  });
});
