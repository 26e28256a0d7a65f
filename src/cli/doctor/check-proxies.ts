import type { Config } from '../../config/config.js';
import { isBucket } from '../../store/places.js';
import { FROM_ENVIRONMENT } from '../../config/notify-schema.js';
import { isAddress } from '../../config/rates-source.js';
import { findRoute, nameProxy } from '../../base/network/proxies.js';
import { addressOf, parseBucket } from '../../store/s3/settings.js';
import { resolveTemporal } from '../../temporal/connect.js';
import { sandboxToAsk } from '../running-sandbox.js';
import { fail, ok, skip, type Finding } from './finding.js';

const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];
const DIRECT = { loopback: 'direct (this machine)', NO_PROXY: 'direct (NO_PROXY)', 'not set': 'direct' };

/** Says which proxy applies to each use of the network. Sends nothing. */
export function checkProxies(config: Config, env: NodeJS.ProcessEnv = process.env): Finding {
  if (!VARIABLES.some((name) => env[name])) return skip('proxy', 'none: HTTP_PROXY and HTTPS_PROXY are not set');
  try {
    const lines = usesOf(config, env).map(([use, address]) => {
      const route = findRoute(address, env);
      const way = route.proxy === null ? DIRECT[route.why] : `through ${nameProxy(route.proxy)}`;
      return `${use} (${address.host}): ${way}`;
    });
    return ok('proxy', lines.join('\n'));
  } catch (error) {
    return fail('proxy', error);
  }
}

/** Lists the uses that a proxy may apply to, with their addresses. */
function usesOf(config: Config, env: NodeJS.ProcessEnv): [use: string, address: URL][] {
  const { api, bucket, storage, publish, rates, notify } = config;
  const objects = [
    ...(bucket === undefined ? [] : [bucketAddress(bucket, storage, env)]),
    ...(publish.to !== undefined && isBucket(publish.to) ? [bucketAddress(publish.to, storage, env)] : []),
  ];
  const uses: [use: string, address: string][] = [
    ['API', sandboxToAsk(config)?.url ?? api.baseUrl],
    ...(api.connectorUrl === undefined ? [] : [['connector', api.connectorUrl] as [string, string]]),
    ...[...new Set(objects)].map((address): [string, string] => ['object storage', address]),
    ...(rates && isAddress(rates.file) ? [['exchange rates', rates.file] as [string, string]] : []),
    ...notify.flatMap(({ name, webhook }): [string, string][] =>
      webhook === undefined || webhook === FROM_ENVIRONMENT ? [] : [[`alerts to ${name}`, webhook]],
    ),
    ['Temporal', `https://${resolveTemporal(config.dataDir).address}`],
  ];
  return uses.flatMap(([use, address]) => (URL.canParse(address) ? [[use, new URL(address)]] : []));
}

function bucketAddress(place: string, reach: object, env: NodeJS.ProcessEnv): string {
  return addressOf({ ...parseBucket(place), ...reach }, env).url;
}
