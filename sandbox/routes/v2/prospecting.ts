import type { FastifyInstance } from 'fastify';
import {
  IncorporationRange,
  ProspectingFilters,
  ProspectingRequest,
  type ProspectingResponse,
} from '../../../schemas/v2/prospecting.js';
import type { AskedFilters } from '../../world/index.js';
import { allowedFilters } from '../../http/filter-switches.js';
import { searchPage, withinCap } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { demand, demandPageSize, refuseFilter, spend } from './context.js';
import { bodyOf } from '../../http/validate.js';

/** Variant of the request schema that also accepts null in `company_incorporation`. */
const WithNull = ProspectingRequest.extend({
  filters: ProspectingFilters.extend({ company_incorporation: IncorporationRange.nullish() }).optional(),
});

/** Route of the reference's section "Prospecting": a search by filters that shows at most ten pages. */
export function prospectingRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/prospecting', (request): ProspectingResponse => {
    const { body: given, empty } = withinCap(bodyOf(request), sandbox.options.pagePolicy);
    const body = demand(sandbox, sandbox.options.incorporationNull === 'refuse' ? ProspectingRequest : WithNull, given);
    const perPage = demandPageSize(sandbox, body.per_page);
    spend(sandbox, 'prospecting');
    const matches = search(sandbox, body.filters ?? {});
    const { world, day, options } = sandbox;
    const { total, pages, places } = searchPage(matches.length, { page: body.page ?? 1, perPage, cap: 'ten' }, options);
    const rowAt = sandbox.order.next(matches.length);
    return {
      total_companies: total,
      total_pages: pages,
      data: empty ? [] : places.map((place) => world.summary(matches[rowAt(place)]!, day)),
    };
  });
}

function search(sandbox: Sandbox, filters: AskedFilters): Uint32Array {
  return sandbox.searches.find(JSON.stringify(filters), () =>
    refuseFilter(sandbox, () => {
      const { world, day, options } = sandbox;
      return world.matchingIndices(allowedFilters(filters, options), day, options);
    }),
  );
}
