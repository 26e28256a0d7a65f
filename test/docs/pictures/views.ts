/** Ids of the records that the views show. */
export interface Ids {
  company: string;
  gone: string;
  changed: string;
  tender: string;
}

/** A view of the explorer, and the pictures of it in the docs. A name that ends in `-phone` is a narrow, dark picture. */
export interface View {
  name: string;
  at: (ids: Ids) => string;
  pictures: string[];
}

const QUERY = `SELECT country_code, count(*) AS companies, round(sum(turnover_eur) / 1e6) AS turnover_million_eur
FROM marts.companies WHERE in_market
GROUP BY ALL ORDER BY turnover_million_eur DESC NULLS LAST`;

/** Each view of the explorer. Operations come first, while the night is still running. */
export const VIEWS: readonly View[] = [
  { name: 'operations', at: () => '/operations', pictures: ['explorer-operations'] },
  { name: 'coverage', at: () => '/operations?tab=coverage', pictures: ['explorer-coverage'] },
  { name: 'runs', at: () => '/operations?tab=runs', pictures: ['explorer-runs'] },
  { name: 'supply', at: () => '/operations?tab=supply', pictures: ['explorer-supply'] },
  { name: 'quality', at: () => '/operations?tab=quality', pictures: ['explorer-quality'] },
  { name: 'models', at: () => '/operations?tab=models', pictures: ['explorer-models'] },
  { name: 'start', at: () => '/', pictures: ['explorer-start'] },
  { name: 'profile', at: ({ company }) => `/company/${company}`, pictures: ['explorer-profile', 'explorer-phone'] },
  { name: 'figures', at: ({ company }) => `/company/${company}?tab=figures`, pictures: ['explorer-figures'] },
  { name: 'history', at: ({ gone }) => `/company/${gone}?tab=history`, pictures: ['explorer-history'] },
  { name: 'versions', at: ({ changed }) => `/company/${changed}?tab=versions`, pictures: ['explorer-versions'] },
  { name: 'owners', at: ({ company }) => `/company/${company}?tab=owners`, pictures: ['explorer-owners'] },
  { name: 'markets', at: () => '/markets', pictures: ['explorer-markets'] },
  { name: 'list', at: () => '/companies?moved=left', pictures: ['explorer-list'] },
  { name: 'tenders', at: () => '/tenders', pictures: ['explorer-tenders'] },
  { name: 'calendar', at: () => '/tenders?show=calendar&month=2026-12', pictures: ['explorer-calendar'] },
  { name: 'tender', at: ({ tender }) => `/tender?slug=${encodeURIComponent(tender)}`, pictures: ['explorer-tender'] },
  { name: 'dictionary', at: () => '/tables?q=turnover', pictures: ['explorer-dictionary'] },
  { name: 'table', at: () => '/tables/marts.companies', pictures: ['explorer-table'] },
  { name: 'lineage', at: () => '/tables/core.tenders?tab=lineage', pictures: ['explorer-lineage'] },
  {
    name: 'table-versions',
    at: () => '/tables/marts.big_companies?tab=versions',
    pictures: ['explorer-table-versions'],
  },
  { name: 'model', at: () => '/tables/marts.big_companies?tab=model', pictures: ['explorer-model'] },
  { name: 'sql', at: () => `/sql#q=${encodeURIComponent(QUERY)}`, pictures: ['explorer-sql'] },
];
