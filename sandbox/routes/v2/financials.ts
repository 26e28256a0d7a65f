import type { FastifyInstance } from 'fastify';
import { FinancialQuery, type FinancialReport } from '../../../schemas/v2/financial-report.js';
import type { Sandbox } from '../../sandbox.js';
import { readParameters } from '../../validate.js';
import { demand, pathId, spend } from './context.js';

/** Section "Financials": the report keyed by year, or one year of it (`year` in the query or the body). */
export function financialRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/financial/:id', (request): FinancialReport => {
    const parameters = readParameters(request.query, request.body, { numbers: ['year'] });
    const { year } = demand(sandbox, FinancialQuery, parameters);
    const id = pathId(sandbox, request);
    spend(sandbox, 'financials');
    const report = sandbox.world.financialReport(id, sandbox.day);
    if (report === undefined) throw sandbox.errors.notFound();
    if (year === undefined) return report;
    const indicators = report[String(year)];
    return indicators === undefined ? {} : { [String(year)]: indicators };
  });
}
