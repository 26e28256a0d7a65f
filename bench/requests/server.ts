import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createWorld } from '../../sandbox/world/index.js';

/*
 * Answers company records and reports for the benchmark of requests. Uses bare sockets, so that it takes little time of
 * the processors that it shares with the measured process. Prints its port.
 */

const COMPANIES = 500;
const world = createWorld({ companies: COMPANIES, tenders: 0, seed: 1, date: '2026-11-20' });

function answer(body: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n`;
  const date = `Date: ${new Date().toUTCString()}\r\nKeep-Alive: timeout=30\r\n\r\n`;
  return Buffer.concat([Buffer.from(head + date), bytes]);
}

const ids = world.companyIds(0);
const answers = new Map(
  ids.flatMap((id) => [
    [`/v2/companies/${id}`, answer(world.company(id, 0))],
    [`/v2/financial/${id}`, answer(world.financialReport(id, 0))],
  ]),
);

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    rest += data.toString('latin1');
    for (let end = rest.indexOf('\r\n\r\n'); end !== -1; end = rest.indexOf('\r\n\r\n')) {
      socket.write(answers.get(rest.split(' ', 2)[1] ?? '')!);
      rest = rest.slice(end + 4);
    }
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.({ port: (server.address() as AddressInfo).port, ids });
process.once('disconnect', () => process.exit());
