import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DeliveryLog } from '../../../src/serve/webhooks/delivery-log.js';
import { checkForgotten } from '../../../src/cli/doctor/check-forgotten.js';
import { createClock } from '../../../src/base/time/clock.js';
import { openFingerprint } from '../../../src/privacy/fingerprint.js';
import { forget, type ForgetRequest } from '../../../src/maintenance/forget/forget.js';
import { findTexts } from '../../helpers/find-texts.js';
import { runCli } from '../../helpers/run-cli.js';
import { land, prepareOnce, temporaryDataDir } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

const ID = '4711';
const NAME = 'Jiřina Nováková';

const UNKNOWN = /forgotten people are unknown/;
const NOW = new Date('2026-11-25T02:00:00Z');

let dataDir: string;
let list: string;
let key: string;

const landPerson = (run: string): Promise<void> =>
  land(dataDir, [{ stream: 'employee_details', run, entity: ID, body: { id: Number(ID), full_name: NAME } }]);
const forgetPeople = (ids: string[], more: Partial<ForgetRequest> = {}) =>
  forget(new Data(dataDir), {
    subjects: ids.map((id) => ({ kind: 'person', id })),
    now: NOW,
    personalData: true,
    ...more,
  });

const forgotten = prepareOnce(async (folder) => {
  dataDir = folder;
  await landPerson('first');
  await forgetPeople([ID]);
});

beforeEach(() => {
  dataDir = forgotten();
  list = path.join(dataDir, 'secrets', 'forgotten');
  key = path.join(dataDir, 'secrets', 'personal-data-key');
});

it.each([
  ['is lost', () => rmSync(key)],
  ['is damaged', () => writeFileSync(key, 'no key')],
  ['was lost, and a new one was made', () => writeFileSync(key, `${'ab'.repeat(32)}\n`)],
])('keeps forgotten people out when the key file %s', async (_, damage) => {
  damage();
  await landPerson('later');
  expect(await findTexts(dataDir, [NAME])).toEqual([]);
  expect(await forgetPeople([])).toMatchObject({ proof: null });
});

describe.each([
  [
    'a line of the list is missing',
    () => writeFileSync(list, readFileSync(list, 'utf8').replace(/\n[0-9a-f]{32}\n/, '\n')),
  ],
  ['the list is cut off', () => truncateSync(list, 90)],
  ['the list is empty', () => truncateSync(list, 0)],
  ['something follows the list', () => appendFileSync(list, 'abc\n')],
])('when %s', (_, damage) => {
  it('lands no answer about people until the ids were given again', async () => {
    damage();
    await expect(landPerson('later')).rejects.toThrow(UNKNOWN);
    await land(dataDir, [{ stream: 'companies', entity: '1', body: { id: 1, name: 'A firm' } }]);
    const log = DeliveryLog.open(new Data(dataDir), createClock());
    await expect(log.keep('{"field":"employee.email"}', '1')).rejects.toThrow(UNKNOWN);
    await log.close();
    await expect(forgetPeople(['5'])).rejects.toThrow(UNKNOWN);
    await expect(openFingerprint(new Data(dataDir))).rejects.toThrow(UNKNOWN);

    await forgetPeople([ID], { replaceList: true });
    await landPerson('later');
    expect(await findTexts(dataDir, [NAME])).toEqual([]);
    await expect(forgetPeople([ID], { replaceList: true })).rejects.toThrow(/not needed/);
  });
});

it('says what to do, and the advice can be followed', async () => {
  truncateSync(list, 90);
  rmSync(key);
  const cwd = temporaryDataDir();
  const config = path.join(cwd, 'tidemark.yaml');
  writeFileSync(config, `api: { baseUrl: 'http://127.0.0.1:9' }\ndata: ${dataDir}\npersonalData: contacts\n`);
  const tidemark = (...args: string[]) => runCli(args, { cwd, env: { TIDEMARK_CONFIG: config } });

  expect(await checkForgotten(dataDir)).toMatchObject([{ state: 'fail', message: expect.stringMatching(UNKNOWN) }]);
  const refused = await tidemark('forget');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace-list --person') });
  expect(await tidemark('forget', '--replace-list')).toMatchObject({ code: 2 });
  expect(await tidemark('forget', '--replace-list', '--person', ID)).toMatchObject({ code: 0 });
  expect(await checkForgotten(dataDir)).toEqual([]);
  await landPerson('later');
  expect(await findTexts(dataDir, [NAME])).toEqual([]);
});
