// Floods a server on this machine: `explorer <port> <cookie>` or `receiver <port>`. Prints how many requests it has sent.
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const CONNECTIONS = 100;
const [what = '', port = '', cookie = ''] = process.argv.slice(2);
let sent = 0;
setInterval(() => process.stdout.write(`${sent}\n`), 50);

const asText = (method: string, at: string, body: string, headers = ''): string =>
  `${method} ${at} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const signedIn = `Cookie: ${cookie}\r\nContent-Type: application/json\r\n`;
const query = (): string =>
  JSON.stringify({
    id: `flood-${String(sent).padStart(9, '0')}`,
    sql: 'SELECT sum(hash(i)) FROM range(100000000) r(i)',
  });
const delivery = JSON.stringify({ company_data: { id: 1, date: '2026-11-20T10:00:00Z' }, field: 'x'.repeat(10_000) });
const forged = `X-SVC-Signature: ${createHmac('sha256', 'another secret').update(delivery).digest('hex')}\r\n`;

/** The requests of one connection: pages, queries, requests without a session; forged and unsigned deliveries. */
const KINDS: Record<string, (() => string)[]> = {
  explorer: [
    () => asText('GET', '/api/v1/markets', '', signedIn),
    () => asText('GET', '/api/v1/operations', '', signedIn),
    () => asText('POST', '/api/v1/query', query(), signedIn),
    () => asText('GET', '/api/v1/about', ''),
  ],
  receiver: [
    () => asText('POST', '/events', delivery, forged),
    () => asText('POST', '/events', delivery),
    () => asText('GET', '/elsewhere', ''),
  ],
};

/** Sends four requests at once, and the next ones after an answer. Connects again when the server closes. */
function flood(i: number): void {
  const kinds = KINDS[what] ?? [];
  const socket: Socket = connect(Number(port), '127.0.0.1');
  const next = (): void => {
    for (let n = 0; n < 4; n++) socket.write(kinds[(i + sent++) % kinds.length]?.() ?? '');
  };
  socket
    .on('connect', next)
    .on('data', next)
    .on('error', () => undefined)
    .on('close', () => setTimeout(() => flood(i), 1));
}

for (let i = 0; i < CONNECTIONS; i++) flood(i);
