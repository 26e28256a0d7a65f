import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Job } from '../../state/jobs.js';
import type { Sandbox } from '../../sandbox.js';
import { readParameters } from '../../http/validate.js';
import { indexOf } from '../../world/membership.js';
import { ownershipOf } from '../../world/ownership.js';
import { demand, pathId, spend } from './context.js';

/**
 * Parameters of the ownership routes. The reference does not explain the threshold. In the sandbox, it is in percent,
 * and the default is 25.
 */
const Parameters = z.strictObject({ threshold: z.number().min(0).max(100).optional() });
const DEFAULT_THRESHOLD = 25;

/** Routes for ultimate beneficial owners. The reference shows no bodies, so the sandbox chose all field names. */
export function ownershipRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/kyb/:id/ubo', (request) => {
    const threshold = thresholdOf(sandbox, request);
    const index = subjectOf(sandbox, request);
    spend(sandbox, 'ownership');
    return report(sandbox, index, threshold, sandbox.jobs.isResolved(index, Date.now()));
  });

  app.post('/kyb/:id/ubo/enrich', async (request, reply) => {
    const threshold = thresholdOf(sandbox, request);
    const index = subjectOf(sandbox, request);
    spend(sandbox, 'ownership');
    return reply.code(202).send(jobReport(sandbox, sandbox.jobs.start(index, threshold, Date.now())));
  });

  app.get('/kyb/:id/ubo/enrich/:job_id', (request) => {
    const index = subjectOf(sandbox, request);
    const job = sandbox.jobs.get((request.params as { job_id: string }).job_id);
    if (job?.company !== index) throw sandbox.errors.notFound();
    return jobReport(sandbox, job);
  });
}

function thresholdOf(sandbox: Sandbox, request: FastifyRequest): number {
  const parameters = readParameters(request.query, request.body, { numbers: ['threshold'] });
  return demand(sandbox, Parameters, parameters).threshold ?? DEFAULT_THRESHOLD;
}

function subjectOf(sandbox: Sandbox, request: FastifyRequest): number {
  const index = indexOf(sandbox.world.ctx, pathId(sandbox, request));
  if (index === undefined || !sandbox.world.exists(index, sandbox.day)) throw sandbox.errors.notFound();
  return index;
}

function report(sandbox: Sandbox, index: number, threshold: number, resolved: boolean): Record<string, unknown> {
  const { world, day } = sandbox;
  const { owners, unresolved } = ownershipOf(world.ctx, index, threshold, resolved);
  const { id, name } = world.summary(index, day);
  return {
    company: { id: String(id), name },
    threshold,
    conclusive: unresolved.length === 0,
    beneficial_owners: owners,
    unresolved_chains: unresolved,
  };
}

function jobReport(sandbox: Sandbox, job: Job): Record<string, unknown> {
  const status = sandbox.jobs.stateOf(job, Date.now());
  return {
    job_id: job.id,
    status,
    created_at: new Date(job.createdAt).toISOString(),
    result: status === 'DONE' ? report(sandbox, job.company, job.threshold, true) : null,
  };
}
