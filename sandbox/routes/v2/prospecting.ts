import type { FastifyInstance } from 'fastify';
import {
  ProspectingRequest,
  type ProspectingFilters,
  type ProspectingResponse,
} from '../../../schemas/v2/prospecting.js';
import { pageOf } from '../../paging.js';
import type { Sandbox } from '../../sandbox.js';
import { demand, demandPageSize, refuseFilter, spend } from './context.js';
import { bodyOf } from '../../validate.js';

/** Section "Prospecting": search by filters, at most ten pages of it. */
export function prospectingRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/prospecting', (request): ProspectingResponse => {
    const body = demand(sandbox, ProspectingRequest, bodyOf(request));
    const perPage = demandPageSize(sandbox, body.per_page);
    spend(sandbox, 'prospecting');
    const matches = search(sandbox, body.filters ?? {});
    const { from, to, pages } = pageOf(matches.length, body.page ?? 1, perPage);
    const { world, day } = sandbox;
    return {
      total_companies: matches.length,
      // All pages there are, also those past the tenth, which cannot be asked for.
      total_pages: pages,
      data: Array.from(matches.subarray(from, to), (index) => world.summary(index, day)),
    };
  });
}

function search(sandbox: Sandbox, filters: ProspectingFilters): Uint32Array {
  return sandbox.searches.find(JSON.stringify(filters), () =>
    refuseFilter(sandbox, () => sandbox.world.matchingIndices(filters, sandbox.day, sandbox.options.incorporation)),
  );
}
