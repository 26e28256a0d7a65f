import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { TidemarkError } from '../errors.js';
import { isLoopback } from '../loopback.js';

/** An HTTP proxy that the environment names. */
export interface Proxy {
  /** Variable that names the proxy, such as `HTTPS_PROXY`. */
  variable: string;
  /** Address without user and password. */
  address: URL;
  login: { user: string; password: string } | null;
}

/** How a request leaves this machine. `why` says why no proxy applies. */
export type Route = { proxy: Proxy } | { proxy: null; why: 'loopback' | 'NO_PROXY' | 'not set' };

type Env = NodeJS.ProcessEnv;

/**
 * Finds the way to an address, by the same rules as undici: `https_proxy` for https (otherwise `http_proxy`),
 * `http_proxy` for http, and `no_proxy` for exceptions. Lower case counts before upper case. This machine is always
 * reached directly. Pure.
 * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
 */
export function findRoute(target: URL, env: Env): Route {
  if (isLoopback(target.hostname)) return { proxy: null, why: 'loopback' };
  const [variable, value] = (target.protocol === 'https:' && read(env, 'https_proxy')) || read(env, 'http_proxy') || [];
  if (variable === undefined || value === undefined) return { proxy: null, why: 'not set' };
  if (isExcepted(target, env)) return { proxy: null, why: 'NO_PROXY' };
  return { proxy: parseProxy(variable, value) };
}

/** Returns how people see a proxy: without its password. */
export function nameProxy({ address, variable }: Proxy): string {
  return `${address.protocol}//${address.host} (${variable})`;
}

/** Returns the value of the header `Proxy-Authorization`; undefined if the proxy has no login. */
export function proxyAuthorization({ login }: Proxy): string | undefined {
  if (login === null) return undefined;
  return `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
}

/** Reads a variable in lower or upper case. An empty one in lower case hides the one in upper case. */
function read(env: Env, name: string): [variable: string, value: string] | undefined {
  const variable = [name, name.toUpperCase()].find((spelling) => env[spelling] !== undefined);
  const value = variable === undefined ? '' : env[variable]!.trim();
  return variable === undefined || value === '' ? undefined : [variable, value];
}

function parseProxy(variable: string, value: string): Proxy {
  // Like curl, take an address without a scheme as http.
  const text = /^[^/:@]+(:[^/@]*@[^/:@]+)?:\d+\/?$/.test(value) ? `http://${value}` : value;
  // Don't repeat the value in an error: it may contain a password.
  if (!URL.canParse(text) || !text.includes('://'))
    throw invalid(variable, 'is no address of a proxy', 'Write it like http://proxy.example.com:3128.');
  const { protocol, host, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw invalid(variable, `names a ${protocol.slice(0, -1)} proxy`, 'Tidemark can use http:// and https:// proxies.');
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    const login = user === '' && secret === '' ? null : { user, password: secret };
    return { variable, address: new URL(`${protocol}//${host}`), login };
  } catch {
    throw invalid(variable, 'has a user or password with a stray %', 'Write % as %25 there.');
  }
}

function invalid(variable: string, fault: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidConfig', `The variable ${variable} ${fault}.`, {
    todo: `${todo} To reach a host directly, name it in NO_PROXY.`,
  });
}

/**
 * Whether `no_proxy` names a target. The list has host names (with their subdomains), IP addresses and networks such as
 * `10.0.0.0/8`. A name or address may have a port. `*` names all.
 */
function isExcepted(target: URL, env: Env): boolean {
  const [, list = ''] = read(env, 'no_proxy') ?? [];
  const host = bare(target.hostname);
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      if (entry.includes('/')) return isInNetwork(host, entry);
      const [, name = entry, onlyPort = port] = isIP(entry) ? [] : (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []);
      return onlyPort === port && covers(bare(name), host);
    });
}

/** Whether a name of the list is the host or a domain above it. */
function covers(name: string, host: string): boolean {
  if (isIP(name)) return isInNetwork(host, `${name}/${isIP(name) === 4 ? 32 : 128}`);
  const domain = domainToASCII(name.replace(/^\*?\./, '')) || name;
  return host === domain || (!isIP(host) && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = bare(network).split('/');
  const family = isIP(address);
  if (!isIP(host) || !family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/** Returns a host without brackets and without the dot at the end of a full name. */
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]/, '$1')
    .replace(/(?<=.)\.$/, '');
}
