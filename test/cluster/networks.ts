import { execFileSync, spawnSync } from 'node:child_process';
import { createServer, connect, type Server } from 'node:net';
import { once } from 'node:events';

/*
 * Network namespaces, so that machines of a test share nothing but addresses. Each has its own loopback, and reaches the
 * services of this machine at HUB. Needs root and `ip` of iproute2.
 */

/** Address of the services, the same for all machines. */
const HUB = '10.77.255.1';

/** Why networks cannot be made here; null if they can. */
export function missingForNetworks(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  const made = spawnSync('ip', ['netns', 'add', 'tm-check']);
  if (made.status !== 0) return `ip netns: ${made.error?.message ?? made.stderr.toString().trim()}`;
  ip('netns', 'del', 'tm-check');
  return null;
}

/** Networks of a test. */
export class Networks {
  readonly #names: string[] = [];
  readonly #forwarders: Server[] = [];

  constructor() {
    ip('addr', 'replace', `${HUB}/32`, 'dev', 'lo');
  }

  /**
   * Makes a network.
   * @returns the arguments that run a program in it, and the address at which this machine reaches it
   */
  add(): { run: string[]; address: string } {
    const number = this.#names.length + 1;
    const name = `tm-${process.pid}-${number}`;
    this.#names.push(name);
    const [here, there] = [`10.77.${number}.1`, `10.77.${number}.2`];
    const link = `tmv${number}`;
    ip('netns', 'add', name);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('addr', 'add', `${here}/24`, 'dev', link);
    ip('link', 'set', link, 'up');
    ip('-n', name, 'addr', 'add', `${there}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'route', 'add', 'default', 'via', here);
    return { run: ['ip', 'netns', 'exec', name], address: there };
  }

  /** Makes a port of this machine's loopback reachable for all networks. Returns its address there: `host:port`. */
  async forward(port: number): Promise<string> {
    const server = createServer((from) => {
      const to = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
    server.listen(0, HUB);
    await once(server, 'listening');
    this.#forwarders.push(server);
    return `${HUB}:${(server.address() as { port: number }).port}`;
  }

  remove(): void {
    for (const server of this.#forwarders) server.close();
    for (const name of this.#names) ip('netns', 'del', name);
    ip('addr', 'del', `${HUB}/32`, 'dev', 'lo');
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
