import type { FastifyInstance } from 'fastify';

/**
 * Lists the methods of each path. With this table, the sandbox can tell a wrong method (405) from an unknown path
 * (404).
 */
export class RouteTable {
  readonly #routes: { url: string; pattern: RegExp; methods: string[] }[] = [];

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', (route) => {
      const pattern = new RegExp(`^${route.url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`);
      this.#routes.push({ url: route.url, pattern, methods: [route.method].flat() });
    });
  }

  /** Returns all routes, in the form `GET /v2/companies/{id}`. */
  list(): string[] {
    return this.#routes.flatMap(({ url, methods }) =>
      methods.map((method) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
  }

  methodsAt(path: string): string[] {
    return [
      ...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ].toSorted();
  }
}
