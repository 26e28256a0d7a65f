import { connect } from 'node:net';

// `node bootstrap/is-reachable.mjs HOST:PORT` exits with code 0 when a server listens at this address, and with 1 when
// none does. Container health checks use this script.

const [host = '127.0.0.1', port = ''] = (process.argv[2] ?? '').split(':');
const socket = connect({ host, port: Number(port), timeout: 3_000 });
socket.on('connect', () => process.exit(0));
socket.on('timeout', () => process.exit(1));
socket.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
