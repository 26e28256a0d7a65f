import { NotFoundError, type ApiClient } from 'tidemark/client';

/**
 * Counts the active companies of each country. This stands for your own code. A search may still list a company that has
 * just gone; it counts as `gone`.
 */
export async function countByCountry(client: ApiClient): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { id } of client.v2.prospecting.all({ filters: { company_status: [199] }, per_page: 100 })) {
    const country = await countryOf(client, id);
    counts.set(country, (counts.get(country) ?? 0) + 1);
  }
  return counts;
}

async function countryOf(client: ApiClient, id: number | string): Promise<string> {
  try {
    const { data: company } = await client.v2.company(id);
    return company.country_code ?? 'unknown';
  } catch (error) {
    if (error instanceof NotFoundError) return 'gone';
    throw error;
  }
}
