import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentBuild } from '../../../../src/warehouse/builds/builds.js';
import { Data } from '../../../../src/store/data.js';
import { copyOrDescribe, copyPublished, readCopyRecord } from '../../../../src/warehouse/builds/copy-published.js';
import { openStorage } from '../../../../src/store/open.js';
import { publishNights } from '../../../helpers/nights.js';
import { startGateway, type Gateway } from '../../../helpers/versitygw.js';
import { prepareOnce } from '../../../helpers/warehouse.js';
import { describeCopies, describeFailures } from './copy-contract.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  Object.assign(process.env, gateway.env);
});
afterAll(() => gateway.remove());

let opened = 0;
const place = (): string => `s3://${gateway.bucket}/copies/${opened++}`;
describeCopies('a bucket of versitygw', async () => openStorage(place()));
describeFailures('a bucket of versitygw', async () => openStorage(place()), 5);

const prepared = prepareOnce(publishNights);

it('reports a bucket that is down, and copies the build later', async () => {
  const dataDir = prepared();
  const data = new Data(dataDir);
  const to = place();
  const config = { dataDir, file: 'tidemark.yaml', storage: {}, publish: { keep: 3, to } };
  const wrong = { ...config, publish: { ...config.publish, to: 's3://no-such-bucket/x' } };
  expect(await copyOrDescribe(wrong, data, 'a test')).toMatch(
    /^The build is published here, but was not copied to s3:\/\/no-such-bucket\/x: .*the bucket does not exist/,
  );
  expect(readCopyRecord(dataDir)).toMatchObject({ to: 's3://no-such-bucket/x', build: null });
  await gateway.kill();
  const copying = copyOrDescribe(config, data, 'a test');
  await gateway.restart();
  expect(await copying).toBeNull();
  expect(readCopyRecord(dataDir)).toMatchObject({ to, build: currentBuild(dataDir), fault: null });
  expect((await copyPublished(config, data, { what: 'a test' }))?.sent.files).toBe(0);
});
