import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataFolder, RunResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { tidemarkIn, type CliResult } from '../helpers/run-cli.js';

const MARKET = { companies: 250, tenders: 5, seed: 17 };

interface Team {
  project: Project;
  folder: DataFolder;
  worker: RunningProcess;
}

describe('two data folders on one Temporal namespace', () => {
  let system: System;
  const teams: Team[] = [];

  const tidemark = (project: Project, ...args: string[]): Promise<CliResult> => tidemarkIn(project, args);
  const start = async (project: Project): Promise<Team> => {
    const worker = await project.startWorker();
    const { id } = JSON.parse(readFileSync(path.join(project.dataDir, 'folder.json'), 'utf8')) as { id: string };
    return { project, worker, folder: { id, path: project.dataDir, host: '' } };
  };
  const ofResult = ({ folder }: RunResult): { team: Team; other: Team } => {
    const team = teams.find((one) => one.folder.id === folder?.id);
    const other = teams.find((one) => one !== team);
    if (!team || !other) throw new Error(`no team has the folder ${JSON.stringify(folder)}`);
    return { team, other };
  };
  const run = (id: string): Promise<RunResult> => system.run('marketSnapshot', id);

  beforeAll(async () => {
    const config = { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] };
    system = await startSystem({ market: MARKET, config, worker: null });
    teams.push(await start(system.project), await start(system.addProject(config)));
  });

  afterAll(async () => {
    for (const { worker } of teams) await worker.stop();
    await system?.stop();
  });

  it('gives two data folders different ids and names the first to the second worker', () => {
    const [first, second] = teams.map(({ folder }) => folder.id);
    expect(first).not.toBe(second);
    expect(teams[1]?.worker.output()).toMatch(
      new RegExp(
        `Workers of another data folder poll the same queues: .*folder ${first?.slice(0, 8)}.*TEMPORAL_NAMESPACE`,
      ),
    );
  });

  it('does all work of a run in the data folder that opened it', async () => {
    for (const night of [1, 2]) {
      const result = await run(`snapshot/demo/shared-${night}`);
      const { team, other } = ofResult(result);
      expect(result).toMatchObject({ outcome: 'complete', folder: { path: team.project.dataDir } });
      await system.api.expectMarketEqualsTruth(team.project);
      const landed = path.join(other.project.dataDir, 'landing', 'companies', `date=${result.date}`);
      expect(existsSync(path.join(landed, `run=${result.run}`))).toBe(false);
      expect(existsSync(path.join(other.project.dataDir, 'runs', result.run))).toBe(false);
    }
  });

  it('names the data folder that did a run, and no wrong path', async () => {
    const [{ project }] = teams as [Team, Team];
    const said = await tidemark(project, 'tenders', '--json');
    const result = JSON.parse(said.stdout) as RunResult & { sameFolder: boolean };
    const { team, other } = ofResult(result);
    const date = new Date().toISOString().slice(0, 10);
    for (const reader of [team, other]) {
      const shown = await tidemark(reader.project, 'snapshot', '--date', date);
      const nothing = `${reader.project.dataDir}/published`;
      const isHere = shown.stdout.includes('data/published') && !shown.stdout.includes('A worker with the data folder');
      if (isHere) {
        expect(existsSync(reader.project.published)).toBe(true);
      } else {
        expect(shown.stdout).toMatch(
          /A worker with the data folder .* on host .* did this run, but this command reads /,
        );
        expect(shown.stdout).not.toContain(nothing);
      }
    }
    expect(said.stderr).toMatch(
      /This command uses the data folder .*, but workers of other folders poll this namespace/,
    );
    expect(result.sameFolder).toBe(team.project === project);
  });

  it('waits for the worker of its data folder, says why, then continues', async () => {
    await system.api.answer({ route: '/v2/companies/', latency: 100 });
    const before = await system.api.requests('GET /v2/companies/{id}');
    const handle = await system.start('marketSnapshot', 'snapshot/demo/waits');
    await waitUntil(
      'records are fetched',
      async () => (await system.api.requests('GET /v2/companies/{id}')) > before + 30,
    );
    const { folder } = await handle.query<{ folder: DataFolder }>('progress');
    const { team, other } = ofResult({ folder } as RunResult);
    await team.worker.stop('SIGKILL');
    const refusal = async (): Promise<string | undefined> => {
      const { pendingActivities } = (await handle.describe()).raw;
      const failure = pendingActivities?.find(({ lastFailure }) => lastFailure)?.lastFailure;
      return failure?.applicationFailureInfo?.type === 'OtherDataFolder' ? (failure.message ?? '') : undefined;
    };
    await waitUntil('the other worker refuses', async () => (await refusal()) !== undefined);
    const message = (await refusal()) ?? '';
    expect(message).toContain(team.project.dataDir);
    expect(message).toContain(other.project.dataDir);
    expect(message).toMatch(/Start a worker with that folder \(tidemark worker\) or cancel the run/);
    await system.api.clearFaults();
    team.worker = await team.project.startWorker();
    const result = (await handle.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', folder: { id: team.folder.id } });
    await system.api.expectMarketEqualsTruth(team.project);
  });

  it('reports an edit of tidemark.yaml after the worker started', async () => {
    const [team, other] = teams as [Team, Team];
    await other.worker.stop();
    const file = path.join(team.project.dir, 'tidemark.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('companies: 0d', 'companies: 1d'));
    const { notes } = await run('snapshot/demo/edited');
    expect(notes.join(' ')).toMatch(
      /tidemark\.yaml changed at .*Z, after the worker started\. This run uses the old settings\. Restart the worker/,
    );
    const edited = /These workers use other settings than .*tidemark\.yaml \(changed at .*Z\): .*\. Restart them/;
    expect((await tidemark(team.project, 'status')).stdout).toMatch(edited);
    expect((await tidemark(team.project, 'doctor')).stdout).toMatch(edited);
    // Only settings count, not comments.
    writeFileSync(file, `# a comment\n${text}`);
    expect((await tidemark(team.project, 'status')).stdout).not.toMatch(/changed at/);
  });
});
