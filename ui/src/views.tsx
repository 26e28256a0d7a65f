import type { JSX } from 'preact';
import { lazy } from './components/lazy.js';
import { CompanyView } from './views/company/company.js';
import { TableView } from './views/dictionary/table.js';
import { TablesView } from './views/dictionary/tables.js';
import { ListView } from './views/list/list.js';
import { MarketsView } from './views/markets/markets.js';
import { OperationsView } from './views/operations/operations.js';
import { StartView } from './views/start.js';
import { TenderView } from './views/tenders/tender.js';
import { TendersView } from './views/tenders/tenders.js';

interface View {
  title: string;
  render: (url: URL) => JSX.Element;
}

const SqlView = lazy(async () => (await import('./views/sql/sql.js')).SqlView);

/** Returns the view of an address; undefined if there is none. */
export function findView(path: string): View | undefined {
  const company = /^\/company\/(-?\d+)$/.exec(path)?.[1];
  if (company !== undefined)
    return { title: `Company ${company}`, render: () => <CompanyView id={company} key={company} /> };
  if (path === '/') return { title: 'Companies', render: () => <StartView /> };
  if (path === '/companies') return { title: 'Companies', render: () => <ListView /> };
  if (path === '/markets') return { title: 'Markets', render: () => <MarketsView /> };
  const table = /^\/tables\/([\w.%-]+)$/.exec(path)?.[1];
  if (table !== undefined) return { title: table, render: () => <TableView table={table} key={table} /> };
  if (path === '/tables') return { title: 'Dictionary', render: () => <TablesView /> };
  if (path === '/tenders') return { title: 'Tenders', render: () => <TendersView /> };
  if (path === '/tender') {
    return {
      title: 'Tender',
      render: (url) => {
        const slug = url.searchParams.get('slug') ?? '';
        return <TenderView slug={slug} key={slug} />;
      },
    };
  }
  if (path === '/operations') return { title: 'Operations', render: () => <OperationsView /> };
  if (path === '/sql') return { title: 'SQL', render: () => <SqlView /> };
  return undefined;
}
