// A worker like `tidemark worker` that polls jobs about owners more often: polling-worker.mjs <folder of the build> <seconds>
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [build = '', seconds] = process.argv.slice(2);
/** @param {string} file */
const load = (file) => import(pathToFileURL(path.join(build, 'src', file)).href);
const [{ runWorker }, { configPath, loadConfig }, { createClock }, { createLog }] = await Promise.all(
  ['temporal/worker/worker.js', 'config/config.js', 'base/time/clock.js', 'config/log.js'].map(load),
);
const config = loadConfig(configPath());
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await runWorker({
  config,
  role: 'all',
  clock: createClock(),
  log: createLog('tidemark', process.env.LOG_LEVEL ?? 'info'),
  stop: stop.signal,
  metrics: config.metrics === undefined ? null : { host: config.metrics.host, port: config.metrics.port ?? 0 },
  ownerPollSeconds: Number(seconds),
  /** @param {{ queues: string[], metrics: string | null }} ready */
  onReady: ({ queues, metrics }) => console.log(`worker ready: ${queues.join(', ')}; metrics at ${metrics}`),
});
