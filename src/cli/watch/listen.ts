import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { keepsContacts } from '../../config/config.js';
import { errorMessage, hasErrorCode, TidemarkError } from '../../base/errors.js';
import { NICE, yieldCpu } from '../../base/yield-cpu.js';
import type { ReceiverMetrics } from '../../serve/metrics/receiver.js';
import type { MetricsAddress } from '../../serve/metrics/serve.js';
import { formatCount } from '../../../schemas/format.js';
import { deliveryWithoutPeople } from '../../privacy/events.js';
import { openFingerprint } from '../../privacy/fingerprint.js';
import { readForgotten } from '../../privacy/forgotten.js';
import { DeliveryLog } from '../../serve/webhooks/delivery-log.js';
import { createReceiver } from '../../serve/webhooks/receiver.js';
import type { CliContext } from '../context.js';
import { interruptSignalSaying, untilAborted } from '../terminal/interrupt.js';
import { metricsAddress, type MetricsOptions } from '../terminal/metrics-options.js';
import { say, tell } from '../terminal/print.js';
import { readSecret } from './secret.js';

/** Address and path of the webhook receiver. */
export interface ListenOptions extends MetricsOptions {
  port: number;
  host: string;
  path: string;
}

/**
 * Runs the webhook receiver until SIGTERM or Ctrl-C. Then answers the open requests and lands all deliveries that it
 * has stored. Several receivers may share a data folder.
 */
export async function listen({ config, data, clock }: CliContext, options: ListenOptions): Promise<void> {
  const secret = readSecret(config.dataDir);
  if (!options.path.startsWith('/')) {
    throw new TidemarkError('InvalidInput', `--path ${options.path} is not a valid path.`, {
      todo: 'Give a path that begins with /, for example /events.',
    });
  }
  // Stop now rather than refuse every delivery.
  readForgotten(config.dataDir);
  const interrupted = interruptSignalSaying('Stopping. Open requests are answered; received deliveries are kept.');
  // Used to remove personal data from a delivery, after the signature of the raw bytes was checked.
  const fingerprint = keepsContacts(config) ? undefined : await openFingerprint(data);
  const address = metricsAddress(config, options.metricsPort);
  const metrics = address === null ? null : await serveReceiverMetrics(address);
  const log = DeliveryLog.open(data, clock, {
    onCommit(rows) {
      metrics?.landed(rows);
      tell(`${formatCount(rows)} ${rows === 1 ? 'delivery' : 'deliveries'} landed; the next run loads them.`);
    },
    onFault: (error) => tell(`Received deliveries could not be landed yet and stay stored: ${errorMessage(error)}`),
  });
  yieldCpu(NICE.receiver);
  try {
    const server = createReceiver({
      path: options.path,
      secret,
      onOtherPath: tellOnce(options.path),
      onAnswer: (status) => metrics?.answered(status),
      keep: (body, company) =>
        log.keep(fingerprint === undefined ? body : deliveryWithoutPeople(body, fingerprint), company),
      onFault: (error) => tell(`A delivery could not be stored, so the receiver answered 503: ${errorMessage(error)}`),
    });
    try {
      if (metrics !== null) say(`Metrics at ${metrics.url}`);
      say(`Listening on http://${options.host}:${await startListening(server, options)}${options.path}`);
      await untilAborted(interrupted);
    } finally {
      await stopListening(server);
    }
  } finally {
    await log.close();
    await metrics?.close();
  }
}

// Programs that search for weaknesses ask for many paths.
const MOST_PATHS = 20;
const LONGEST_PATH = 100;

/** Returns a function that tells the operator about each refused path once. */
function tellOnce(own: string): (path: string) => void {
  const told = new Set<string>();
  return (path) => {
    if (told.has(path) || told.size >= MOST_PATHS) return;
    told.add(path);
    const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
    tell(
      `Refused a request for ${shown}, because deliveries come to ${own}. If the API sent it, correct watch.callback or --path.`,
    );
    if (told.size === MOST_PATHS) tell('Further paths are refused without a line here.');
  };
}

/** Loads the code of the metrics only when they are on, because this code loads further libraries. */
async function serveReceiverMetrics(address: MetricsAddress): Promise<ReceiverMetrics> {
  const { serveReceiver } = await import('../../serve/metrics/receiver.js');
  return serveReceiver(address);
}

async function startListening(server: Server, { port, host }: ListenOptions): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = hasErrorCode(error, 'EADDRINUSE');
    throw new TidemarkError('InvalidInput', `Cannot listen on ${host}:${port}: ${errorMessage(error)}`, {
      todo: taken ? 'Another program uses that port. Choose another with --port.' : 'Choose another --host or --port.',
      cause: error,
    });
  }
  return (server.address() as AddressInfo).port;
}

/**
 * Closes the server: accepts no new connection, closes idle connections and waits for open requests. The server's
 * timeouts limit this wait.
 */
async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
}
