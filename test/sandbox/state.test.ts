import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contradictions, readState } from '../../sandbox/state/state-file.js';
import { startApp, type Running } from './running.js';

let folder: string;
let file: string;
const open: Running[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sandbox-'));
  file = path.join(folder, 'state.json');
});
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<Running> {
  const app = await startApp({ companies: 80, file });
  open.push(app);
  return app;
}

describe('the state file', () => {
  it('restores day, watches, callback and quota', async () => {
    const first = await start();
    const [id] = first.sandbox.world.companyIds(0);
    await first.send('POST', `/v2/companies/${id}/watch/start`, { fields: ['company.name'] });
    const { body: callback } = await first.send('PUT', '/v2/companies/watch/callback', {
      callback: 'http://127.0.0.1:9/x',
    });
    await first.send('POST', '/_sandbox/day', { advance: 3 });
    await first.send('POST', '/_sandbox/quota', { dailyLimit: 50 });
    await first.get(`/v2/companies/${id}`);
    await first.close();

    const second = await start();
    expect(second.sandbox.day).toBe(3);
    expect((await second.get('/_sandbox/state')).body).toMatchObject({
      day: 3,
      watched: 1,
      quota: { dailyLimit: 50, used: 1 },
    });
    expect((await second.get('/v2/companies/watch/callback')).body).toEqual(callback);
    expect((await second.get(`/v2/companies/${id}/watch/fields`)).body).toEqual(['company.name']);
  });

  it('writes a complete state file for its owner only, also without shutdown', async () => {
    const app = await start();
    await app.send('POST', '/_sandbox/day', { advance: 2 });
    expect(readState(file)).toMatchObject({ day: 2, companies: 80, key: 'sandbox-key-7' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  it('rejects a foreign state file and names contradicting flags', async () => {
    writeFileSync(file, '{"hello":1}');
    await expect(start()).rejects.toThrow(/not a state file/);
    writeFileSync(file, 'x');
    await expect(start()).rejects.toThrow(/not a state file/);
    rmSync(file);
    const app = await start();
    app.sandbox.save();
    expect(contradictions(readState(file)!, { companies: 80, seed: 8 })).toEqual(['--seed']);
  });
});

describe('the timer', () => {
  it('advances the day by a timer', async () => {
    const app = await startApp({ companies: 20, dayEvery: 0.02 });
    open.push(app);
    while (app.sandbox.day < 2) await sleep(5);
    expect(app.sandbox.date > '2026-11-21').toBe(true);
  });
});
