import { afterAll, beforeAll } from 'vitest';
import { openStorage } from '../../../../src/store/open.js';
import { buildsIn } from '../../../../src/warehouse/builds/manifest.js';
import { startGateway, type Gateway } from '../../../helpers/versitygw.js';
import { describeCopies } from './contract.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  Object.assign(process.env, gateway.env);
});
afterAll(() => gateway.remove());

let opened = 0;
describeCopies('a bucket of versitygw', () => {
  const place = `s3://${gateway.bucket}/copies/${opened++}`;
  return { storage: openStorage(place), builds: buildsIn(openStorage(`${place}/published`)) };
});
