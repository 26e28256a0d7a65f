import { METHODS } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyError, type FastifyReply, type FastifyInstance, type FastifyRequest } from 'fastify';
import { V1_ERROR_STATUS, type V1ErrorName } from '../../schemas/v1/error.js';
import { BODY_LIMIT, parseForms, parseJsonBodies } from './bodies.js';
import { connectionLimits, isPlainHttp } from './connections.js';
import { Refusal, v1Error } from './errors.js';
import { withDrift } from '../faults/drift.js';
import { withIds } from './id-form.js';
import { sentinelFault } from '../faults/sentinels.js';
import { applyFault } from '../faults/faults.js';
import { INNER_HEADER, INNER_SECRET } from './inner.js';
import type { SandboxOptions } from '../options.js';
import { sandboxOptions } from '../switches.js';
import { connectorApiRoutes } from '../routes/connector/api.js';
import { oauthRoutes } from '../routes/connector/oauth.js';
import { utilityRoutes } from '../routes/connector/utility.js';
import { controlRoutes } from '../routes/control.js';
import { v1CompanyRoutes } from '../routes/v1/companies.js';
import { v1ExecutiveRoutes } from '../routes/v1/executives.js';
import { descriptionRoutes } from '../routes/description.js';
import { nomenclatureRoutes } from '../routes/v1/nomenclatures.js';
import { tenderRoutes } from '../routes/v1/tenders.js';
import { autocompleteRoutes } from '../routes/v2/autocomplete.js';
import { companyRoutes } from '../routes/v2/companies.js';
import { employeeRoutes } from '../routes/v2/employees.js';
import { companyEnrichmentRoutes } from '../routes/v2/enrichment-companies.js';
import { employeeEnrichmentRoutes } from '../routes/v2/enrichment-employees.js';
import { financialRoutes } from '../routes/v2/financials.js';
import { metricsRoutes } from '../routes/v2/metrics.js';
import { overviewRoutes } from '../routes/v2/overview.js';
import { ownershipRoutes } from '../routes/v2/ownership.js';
import { payeeRoutes } from '../routes/v2/payee.js';
import { prospectingRoutes } from '../routes/v2/prospecting.js';
import { watchRoutes } from '../routes/v2/watching.js';
import { allows, permissionFor, type KeyGrant } from './permissions.js';
import { METRICS, type MetricName } from '../state/quota.js';
import { RouteTable } from './route-table.js';
import { Sandbox } from '../sandbox.js';

/**
 * The sandbox as a Fastify instance that does not listen yet. The property `sandbox` holds the market and the state.
 */
export interface SandboxApp extends FastifyInstance {
  sandbox: Sandbox;
  routeTable: RouteTable;
}

/**
 * Builds the sandbox. options.ts has the defaults of options that are left out.
 *
 * @throws RangeError for an invalid option
 */
export async function buildApp(given: Partial<SandboxOptions> = {}): Promise<SandboxApp> {
  const sandbox = new Sandbox(sandboxOptions(given));
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    ...connectionLimits(sandbox.options),
    // Fastify calls this function when it cannot decode the address of a request, or when an id in the address is
    // longer than `maxParamLength`.
    frameworkErrors: (_error, request, reply: FastifyReply) => {
      void reply.code(404).send(generic(sandbox, request, 404, 'Not found.').body);
    },
  });
  app.decorate('sandbox', sandbox);
  // The API reference lists some parameters of GET calls as "body", so GET may carry a body.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  // Without this line, Fastify refuses the method QUERY because of its content type. With it, the sandbox answers 405.
  // Node 20.18 does not know this method.
  if (METHODS.includes('QUERY')) app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  app.decorateRequest('bend', null);
  parseJsonBodies(app);
  const routes = new RouteTable(app);
  app.decorate('routeTable', routes);

  app.addHook('onRequest', (request, reply, done) => {
    if (isPlainHttp(request.raw)) return done();
    void reply.header('connection', 'close');
    return done(new Refusal(400, { detail: 'This is not an HTTP request.' }));
  });
  countRequests(app, sandbox);
  keepState(app, sandbox);
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const refusal = error instanceof Refusal ? error : asRefusal(error as FastifyError, sandbox, request);
    return reply.code(refusal.status).send(refusal.body);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const allowed = routes.methodsAt(pathOf(request));
    if (allowed.length > 0) {
      const refusal = generic(sandbox, request, 405, `Method "${request.method}" not allowed.`);
      return reply.code(405).header('allow', allowed.join(', ')).send(refusal.body);
    }
    return reply.code(404).send(generic(sandbox, request, 404, 'Not found.').body);
  });

  await app.register(async (scope) => controlRoutes(scope, sandbox));
  await app.register(
    async (scope) => {
      strikeFaults(scope, sandbox);
      guard(scope, sandbox);
      metricsRoutes(scope, sandbox);
      prospectingRoutes(scope, sandbox);
      watchRoutes(scope, sandbox);
      companyRoutes(scope, sandbox);
      overviewRoutes(scope, sandbox);
      employeeRoutes(scope, sandbox);
      companyEnrichmentRoutes(scope, sandbox);
      employeeEnrichmentRoutes(scope, sandbox);
      autocompleteRoutes(scope, sandbox);
      financialRoutes(scope, sandbox);
      ownershipRoutes(scope, sandbox);
      payeeRoutes(scope, sandbox);
    },
    { prefix: '/v2' },
  );
  await app.register(
    async (scope) => {
      strikeFaults(scope, sandbox);
      guard(scope, sandbox);
      v1CompanyRoutes(scope, sandbox);
      v1ExecutiveRoutes(scope, sandbox);
      tenderRoutes(scope, sandbox);
      nomenclatureRoutes(scope);
    },
    { prefix: '/v1/finder' },
  );
  await app.register(async (scope) => {
    strikeFaults(scope, sandbox);
    parseForms(scope);
    utilityRoutes(scope, sandbox);
    connectorApiRoutes(scope, sandbox);
    oauthRoutes(scope, sandbox);
  });
  await app.register(async (scope) => descriptionRoutes(scope, sandbox));
  return app as unknown as SandboxApp;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}

function countRequests(app: FastifyInstance, sandbox: Sandbox): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isControl(request.url) && !isInner(request)) {
      sandbox.requests.begin();
      reply.raw.once('close', () => sandbox.requests.end());
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(unknown)';
    if (!isControl(route) && !isInner(request)) {
      sandbox.requests.count(`${request.method} ${route.replaceAll(/:(\w+)/g, '{$1}')}`, reply.statusCode);
    }
    done();
  });
}

/**
 * Writes the state file after each request that may change the state. Moves the market to the next day on a timer.
 * Stops webhook deliveries when the server closes.
 */
function keepState(app: FastifyInstance, sandbox: Sandbox): void {
  const { file, dayEvery } = sandbox.options;
  if (file !== null) {
    app.addHook('onResponse', (request, _reply, done) => {
      if (request.method !== 'GET' && !/prospecting|enrichment|overview/.test(request.url)) sandbox.save();
      done();
    });
  }
  const timer = dayEvery > 0 ? setInterval(() => sandbox.moveTo(sandbox.day + 1), dayEvery * 1000) : undefined;
  app.addHook('onClose', async () => {
    clearInterval(timer);
    sandbox.save();
    await sandbox.webhooks.close();
  });
}

/**
 * Applies the latency and the faults before all other checks. Applies the options for ids and schema drift to every
 * answer.
 */
function strikeFaults(scope: FastifyInstance, sandbox: Sandbox): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (isInner(request)) return;
    if (sandbox.options.latency > 0) await sleep(sandbox.options.latency);
    const fault =
      sandbox.faults.strike(request.method, pathOf(request)) ??
      sentinelFault(request.url, (status) => sentinelBody(sandbox, request, status));
    if (fault && (await applyFault(fault, request, reply))) return reply;
  });
  scope.addHook('preSerialization', (request, _reply, payload, done) => {
    const { ids, drift } = sandbox.options;
    const answer = withDrift(withIds(payload, ids), pathOf(request), drift);
    done(null, request.bend ? request.bend(answer) : answer);
  });
}

/**
 * Refuses a request without a valid API key, and a request whose key lacks the permission. Each version of the API has
 * its own error.
 */
function guard(scope: FastifyInstance, sandbox: Sandbox): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    const header = request.headers.authorization;
    const grant = sandbox.keys.findByHeader(header);
    if (grant !== undefined) return done(missingPermission(sandbox, grant, request));
    if (!isV1(request)) return done(sandbox.errors.token(header === undefined ? 'No token provided.' : undefined));
    return done(v1Error('TokenVerificationError', 'Token verification failed.', { token: 'Token is invalid.' }));
  });
}

/** Returns the refusal for an API key that lacks the route's permission; undefined when the API key has it. */
function missingPermission(sandbox: Sandbox, grant: KeyGrant, request: FastifyRequest): Refusal | undefined {
  if (grant.permissions === 'all') return undefined;
  const permission = permissionFor(request.routeOptions.url ?? '');
  if (permission === null || allows(grant, permission)) return undefined;
  return isV1(request)
    ? v1Error('ProductPermissionDenied', `This API key has no permission "${permission}".`)
    : sandbox.errors.permission(permission);
}

/** Returns the error body for a status, in the shape of the requested API version. */
function sentinelBody({ errors }: Sandbox, request: FastifyRequest, status: number): unknown {
  if (isV1(request)) {
    const name = Object.entries(V1_ERROR_STATUS).find(([, value]) => value === status)?.[0] ?? 'InternalError';
    return v1Error(name as V1ErrorName, `This id always causes status ${status}.`).body;
  }
  if (status === 401) return errors.token().body;
  if (status === 400 || status === 422) return errors.invalid({ id: ['Sentinel.'] }).body;
  if (status === 429) return errors.limit('limits.daily', 'Sentinel.', metricOf(request)).body;
  if (status === 430) return errors.limit('limit', 'This id always causes this error.', metricOf(request)).body;
  return { detail: status === 404 ? 'Not found.' : `This id always causes status ${status}.` };
}

/** Returns the metric that counts a request. If no metric counts it, returns the metric of company details. */
function metricOf(request: FastifyRequest): MetricName {
  const route = request.routeOptions.url ?? '';
  const permission = route.startsWith('/v2') ? permissionFor(route) : null;
  return permission !== null && permission in METRICS ? (permission as MetricName) : 'company_details';
}

/** Whether a route belongs to the sandbox itself and not to the API. */
function isControl(route: string): boolean {
  return route.startsWith('/_sandbox') || route === '/metrics';
}

function isInner(request: FastifyRequest): boolean {
  return request.headers[INNER_HEADER] === INNER_SECRET;
}

function isV1(request: FastifyRequest): boolean {
  return request.url.startsWith('/v1');
}

/**
 * Converts an error into a refusal in the shape of the requested API version. The cause is a request that Fastify
 * refused (broken JSON, too large, wrong type), or a bug of the sandbox. A bug is also written to stderr.
 */
function asRefusal(error: FastifyError, sandbox: Sandbox, request: FastifyRequest): Refusal {
  const status = error.statusCode ?? 500;
  if (status >= 500) {
    process.stderr.write(`sandbox: ${request.method} ${request.url}: ${error.stack ?? error.message}\n`);
    return isV1(request) ? v1Error('InternalError', 'An unexpected exception occurred.') : sandbox.errors.internal();
  }
  const message =
    status === 413 ? `The body is larger than ${BODY_LIMIT} bytes.` : `The body cannot be read: ${error.message}`;
  return generic(sandbox, request, status, message);
}

/** Returns an error that the reference does not name, in the shape of the most similar error that it names. */
function generic(sandbox: Sandbox, request: FastifyRequest, status: number, message: string): Refusal {
  if (isV1(request)) {
    if (status === 404) return v1Error('IdNotFound', message, { id: pathOf(request) });
    return v1Error(
      'InvalidRequest',
      message,
      { param: status === 405 ? 'method' : 'body' },
      status === 400 ? 406 : status,
    );
  }
  if (status === 404 || status === 405) return new Refusal(status, { detail: message });
  if (!request.url.startsWith('/v2') && status !== 413) {
    return new Refusal(422, { detail: [{ loc: ['body'], msg: message, type: 'body_invalid' }] });
  }
  return new Refusal(status === 400 ? sandbox.options.statuses.invalid : status, { body: [message] });
}
