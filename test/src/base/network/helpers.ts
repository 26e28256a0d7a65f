import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A forward proxy, as companies run it. It knows host names that no resolver knows. */
export interface ForwardProxy {
  /** Address without a login. */
  url: string;
  port: number;
  /** Each request line that it got, such as `CONNECT api.invalid:443`, with the login as a suffix if there was one. */
  seen: string[];
  close(): Promise<void>;
}

/**
 * Starts a forward proxy on a free port. All hosts lead to `upstream` on this machine.
 * @param refusal status for all requests, instead of an answer of the upstream
 */
export async function startForwardProxy(upstream: number, refusal?: number): Promise<ForwardProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const note = (line: string, login: string | undefined): void => {
    const said = login === undefined ? '' : ` ${Buffer.from(login.replace(/^Basic /, ''), 'base64').toString()}`;
    seen.push(`${line}${said}`);
  };
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    note(`${method} ${url}`, headers['proxy-authorization']);
    if (refusal !== undefined) return void response.writeHead(refusal).end('<html>no</html>');
    const { pathname, search } = new URL(url);
    const { 'proxy-authorization': _, ...passed } = headers;
    const out = requestHttp(
      { host: '127.0.0.1', port: upstream, path: pathname + search, method, headers: passed, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    ).on('error', () => response.destroy());
    request.pipe(out);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url, headers }, socket) => {
    note(`CONNECT ${url}`, headers['proxy-authorization']);
    socket.on('error', () => undefined);
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 0\r\n\r\n`);
    const out = connect(upstream, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      out.pipe(socket).pipe(out);
    }).on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sets variables of the environment. Returns a function that restores them. Undefined removes a variable. */
export function setEnvironment(values: Record<string, string | undefined>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  const apply = (entries: Iterable<readonly [string, string | undefined]>): void => {
    for (const [name, value] of entries) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  apply(Object.entries(values));
  return () => apply(before);
}
