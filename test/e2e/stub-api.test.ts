import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { startStubApi, stubReport, type StubApi } from '../helpers/stub-api.js';
import { startTemporal } from '../helpers/temporal.js';

// The stub chooses otherwise than the sandbox wherever the reference is silent: what passes here does not lean on the
// sandbox's habits.
describe('a snapshot of an API that is not the sandbox', () => {
  let temporal: TestWorkflowEnvironment;
  let api: StubApi;
  let project: Project;
  let worker: RunningProcess;
  let result: RunResult;

  beforeAll(async () => {
    [temporal, api] = await Promise.all([startTemporal(), startStubApi(180)]);
    project = makeProject({ api, temporal: temporal.address, config: { markets: [{ name: 'stub' }] } });
    worker = await project.startWorker();
    result = (await temporal.client.workflow.execute('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'snapshot/stub/test',
      args: [{}],
    })) as RunResult;
  });

  afterAll(async () => {
    await worker?.stop();
    await Promise.all([temporal?.teardown(), api?.close()]);
    project?.remove();
  });

  it('reaches every company and proves it', async () => {
    expect(result.coverage).toEqual({ reportedTotal: 180, distinctCompanies: 180, missing: 0, share: 1 });
    const rows = await project.query('SELECT company_id, name, has_details FROM core.companies ORDER BY company_id');
    const expected = api.companies.map(({ id, name }) => ({
      company_id: String(id),
      name,
      has_details: !api.gone.has(id),
    }));
    expect(rows).toEqual(expected);
  });

  it('takes every financial value, text numbers as both', async () => {
    const rows = await project.query(
      'SELECT company_id::INTEGER AS id, fiscal_year AS year, indicator, value_double AS number, value_text AS text FROM core.financials ORDER BY 1, 2, 3',
    );
    const expected = api.companies
      .filter(({ id }) => !api.gone.has(id))
      .flatMap(({ id }) =>
        Object.entries(stubReport(id)).flatMap(([year, values]) =>
          Object.entries(values).map(([indicator, value]) => ({
            id,
            year: Number(year),
            indicator,
            number: typeof value === 'number' ? value : indicator === 'Employee-Numbers' ? Number(value) : null,
            text: typeof value === 'string' ? value : null,
          })),
        ),
      )
      .toSorted((a, b) => a.id - b.id || a.year - b.year || (a.indicator < b.indicator ? -1 : 1));
    expect(rows).toEqual(expected);
  });

  it('rejects the one wrong value and keeps its record', async () => {
    const rejects = await project.query('SELECT stream, entity_id, path FROM ops.rejects');
    expect(rejects).toEqual([
      { stream: 'companies', entity_id: '5013', path: expect.stringContaining('founding_date') as string },
    ]);
    expect(await project.query('SELECT founding_date FROM core.companies WHERE company_id = 5013')).toEqual([
      { founding_date: null },
    ]);
  });

  it('says what the key may not read without calling the market incomplete', () => {
    expect(result.outcome).toBe('complete');
    expect(result.notes.join(' ')).toMatch(/Nomenclatures not readable.*tenders/);
  });
});
