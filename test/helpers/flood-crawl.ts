// A crawl that needs a whole core: the API client reads records from a server in the same process, as fast as it can.
// Prints how many it has read.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApiClient } from '../../src/api/index.js';

const server = createServer((_request, response) => void response.end('{"id":1,"name":"A"}')).listen(0, '127.0.0.1');
await once(server, 'listening');
const client = createApiClient({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  apiKey: 'a-key-of-this-test',
});
let read = 0;
setInterval(() => process.stdout.write(`${read}\n`), 50);
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (;;) {
      await client.v2.company(1);
      read++;
    }
  }),
);
