import { emptyColumns, NONE, sortColumns, type Columns } from '../../../../../bench/planner/columns.js';
import { Market, type MarketQuirks } from '../../../../../bench/planner/market.js';
import type { PlanAnswer, PlanRequest } from '../../../../../src/crawl/search/plan/index.js';

/** A company of the simulated market; null if the register has no value. */
export interface Company {
  id: number;
  status: number;
  legalForm: number | null;
  country: number;
  activities: number[];
  incorporated: number | null;
  employees: number | null;
  turnover: number | null;
}

export interface ApiQuirks extends Omit<MarketQuirks, 'dates' | 'hidden'> {
  /** How company_incorporation is interpreted, if at all. */
  dates?: MarketQuirks['dates'] | 'ignored' | 'refused';
  /** Companies counted in totals but never listed. */
  hidden?: ((company: Company) => boolean) | undefined;
}

/** The benchmark's market (bench/planner) over a list of companies that may change during the search. */
export class SimulatedMarket {
  requests = 0;
  private companies: Map<number, Company>;
  private api: Market;

  constructor(
    companies: readonly Company[],
    readonly quirks: ApiQuirks = {},
  ) {
    this.companies = new Map(companies.map((company) => [company.id, company]));
    this.api = this.open();
  }

  /** Adds or removes companies while a crawl runs. */
  change(add: readonly Company[], remove: (company: Company) => boolean): void {
    const kept = [...this.companies.values()].filter((company) => !remove(company));
    this.companies = new Map([...kept, ...add].map((company) => [company.id, company]));
    this.api = this.open();
  }

  /** Companies a search can list. */
  listable(filters: Record<string, unknown>): Company[] {
    return this.api.idsOf(filters).map((id) => this.companies.get(Number(id))!);
  }

  answer(request: PlanRequest): PlanAnswer {
    this.requests += 1;
    return this.api.answer(request);
  }

  private open(): Market {
    const { dates, hidden: _, ...quirks } = this.quirks;
    const key = 'company_incorporation';
    return new Market(columnsOf([...this.companies.values()]), {
      ...quirks,
      ...(dates === 'ignored' || dates === 'refused'
        ? { [dates]: [...(quirks[dates] ?? []), key] }
        : dates && { dates }),
      hidden: (id) => this.quirks.hidden?.(this.companies.get(id)!) ?? false,
    });
  }
}

function columnsOf(companies: readonly Company[]): Columns {
  const columns = emptyColumns(companies.length);
  for (const [row, company] of companies.entries()) {
    columns.id[row] = company.id;
    columns.status[row] = company.status;
    columns.country[row] = company.country;
    columns.legalForm[row] = company.legalForm ?? NONE;
    columns.activities[row] = company.activities.reduce((bits, activity) => bits | (1 << activity), 0);
    columns.incorporated[row] = company.incorporated ?? NONE;
    columns.employees[row] = company.employees ?? NONE;
    columns.turnover[row] = company.turnover ?? NONE;
  }
  return sortColumns(columns);
}
