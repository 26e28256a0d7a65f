import type { FastifyInstance } from 'fastify';
import { FinancialQuery, FinancialTickerQuery, type FinancialReport } from '../../../schemas/v2/financial-report.js';
import type { Sandbox } from '../../sandbox.js';
import { readParameters } from '../../http/validate.js';
import { indexOfTicker } from '../../world/lookups.js';
import { idOf } from '../../world/membership.js';
import { demand, pathId, spend } from './context.js';

/**
 * Routes of the reference's section "Financials". They return the report with its years as keys, or only one year.
 * `year` may be in the query or in the body.
 */
export function financialRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  // The reference shows only the parameter `ticker` for this route; the sandbox also accepts `year`.
  app.get('/financial/ticker', (request): FinancialReport => {
    const parameters = readParameters(request.query, request.body, { numbers: ['year'] });
    const { ticker, year } = demand(sandbox, FinancialTickerQuery.extend(FinancialQuery.shape), parameters);
    spend(sandbox, 'financials');
    const { world, day } = sandbox;
    const index = indexOfTicker(world.ctx, ticker);
    const report = index === undefined ? undefined : world.financialReport(idOf(world.ctx, index), day);
    if (report === undefined) throw sandbox.errors.notFound();
    return yearOf(report, year);
  });

  app.get('/financial/:id', (request): FinancialReport => {
    const parameters = readParameters(request.query, request.body, { numbers: ['year'] });
    const { year } = demand(sandbox, FinancialQuery, parameters);
    const id = pathId(sandbox, request);
    spend(sandbox, 'financials');
    const report = sandbox.world.financialReport(id, sandbox.day);
    if (report === undefined) throw sandbox.errors.notFound();
    return yearOf(report, year);
  });
}

function yearOf(report: FinancialReport, year: number | undefined): FinancialReport {
  if (year === undefined) return report;
  const indicators = report[String(year)];
  return indicators === undefined ? {} : { [String(year)]: indicators };
}
