// Runs the webhook receiver with options that the command line lacks: `receiver.ts <data> <secret> <options as JSON>`.
// Prints its address and process id; stops gracefully on SIGTERM or when stdin ends.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DeliveryLog, type DeliveryLogOptions } from '../../src/serve/webhooks/delivery-log.js';
import { createReceiver } from '../../src/serve/webhooks/receiver.js';
import { Data } from '../../src/store/data.js';

const [dataDir = '', secret = '', options = '{}'] = process.argv.slice(2);
const log = DeliveryLog.open(new Data(dataDir), { now: () => new Date() }, JSON.parse(options) as DeliveryLogOptions);
const keep = (body: string, company: string | null): Promise<void> => log.keep(body, company);
const server = createReceiver({ path: '/events', secret, keep }).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/events`, pid: process.pid }));
let ending: Promise<void> | undefined;
const end = async (): Promise<void> => {
  server.close();
  server.closeIdleConnections();
  await once(server, 'close');
  await log.close();
  process.exit(0);
};
process.on('SIGTERM', () => void (ending ??= end()));
process.stdin.on('end', () => void (ending ??= end())).resume();
