import type { FastifyInstance } from 'fastify';
import {
  OVERVIEW_MAX_PER_PAGE,
  OverviewRequest,
  type OverviewItem,
  type OverviewResponse,
} from '../../../schemas/v2/overview.js';
import { searchPage } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { statusName } from '../../world/company-record.js';
import { idOf } from '../../world/membership.js';
import { nameOf } from '../../world/names.js';
import { registrationNumberOf } from '../../world/registration.js';
import { marketCountryOf, statusOf } from '../../world/traits.js';
import { demand, refuseFilter, spend } from './context.js';
import { bodyOf } from '../../http/validate.js';

/** Route of the reference's section "Company search". A page has at most five companies, and there is no page cap. */
export function overviewRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/overview', (request): OverviewResponse => {
    const { page = 1, per_page, ...asked } = demand(sandbox, OverviewRequest, bodyOf(request));
    spend(sandbox, 'company_search');
    const found = sandbox.searches.find(`overview ${JSON.stringify(asked)}`, () =>
      refuseFilter(sandbox, () => sandbox.world.matchingOverview(asked, sandbox.day)),
    );
    const perPage = per_page ?? OVERVIEW_MAX_PER_PAGE;
    const { total, pages, places } = searchPage(found.length, { page, perPage, cap: 'none' }, sandbox.options);
    const rowAt = sandbox.order.next(found.length);
    return {
      total_results: total,
      total_pages: pages,
      data: places.map((place) => overviewItem(sandbox, found[rowAt(place)]!)),
    };
  });
}

function overviewItem({ world, day }: Sandbox, index: number): OverviewItem {
  const versions = world.versionsOf(index, day);
  return {
    id: String(idOf(world.ctx, index)),
    name: nameOf(world.ctx, index, versions),
    status: statusName(statusOf(world.ctx, index, versions)),
    country_code: marketCountryOf(world.ctx, index).code,
    registration_number: registrationNumberOf(index, versions),
  };
}
