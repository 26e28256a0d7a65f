import type { FastifyInstance } from 'fastify';
import { ContactMetricsQuery, type ContactMetrics } from '../../../schemas/v2/metrics.js';
import type { Sandbox } from '../../sandbox.js';
import { readParameters } from '../../http/validate.js';
import { demand } from './context.js';

/** Routes of the reference's section "Metrics": the customer's usage. */
export function metricsRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/metrics', () => sandbox.quota.report());

  app.get('/metrics/contacts', (request): ContactMetrics => {
    const query = demand(sandbox, ContactMetricsQuery, readParameters(request.query, request.body, {}));
    return sandbox.reveals.countBetween(query.date_from, query.date_to);
  });
}
