import { writeContacts } from './tender-contacts.js';

/** A tender of the stub. The listing states days, the details also the time. */
export interface StubTender {
  slug: string;
  title: string;
  status: string;
  type: string;
  announced: string;
  deadline: string | null;
  countries: string[];
  industries: string[];
}

const STATUSES = ['Accepting bids', 'Closed', 'Forecast', 'Not specified', 'Contract award'];
const TYPES = ['Tender', 'Grant', 'Loan'];

export function makeTenders(count: number): StubTender[] {
  return Array.from({ length: count }, (_, i) => ({
    slug: i % 6 === 5 ? `lot ${i}% for schools` : `lot-${i}`,
    title: `Brücke ${i}`,
    status: STATUSES[i % STATUSES.length] ?? 'Closed',
    type: TYPES[i % TYPES.length] ?? 'Tender',
    announced: `2026-${String(1 + (i % 9)).padStart(2, '0')}-03T0${i % 10}:15:00`,
    deadline: i % 7 === 6 ? null : `2027-01-${String(1 + (i % 28)).padStart(2, '0')}T17:00:00`,
    countries: i % 2 === 0 ? ['Denmark'] : ['Sweden', 'Iceland'],
    industries: ['Consulting'],
  }));
}

/** As the listing writes it: days only. */
export function writeSummary(tender: StubTender): Record<string, unknown> {
  return {
    slug: tender.slug,
    project_type: tender.type,
    title: tender.title,
    status: tender.status,
    announced_date: tender.announced.slice(0, 10),
    deadline_date: tender.deadline?.slice(0, 10) ?? null,
    countries: tender.countries.toReversed(),
  };
}

/** As the details write it: times without a zone. */
export function writeTender(tender: StubTender): Record<string, unknown> {
  return {
    title: tender.title,
    type: tender.type,
    slug: tender.slug,
    status: tender.status,
    description: `<p>Bids for <b>${tender.title}</b> &amp; more</p>`,
    announced_date: tender.announced,
    deadline_date: tender.deadline,
    countries: tender.countries,
    industries: tender.industries,
    donors: [{ donor: 'European Fund', id: '12' }],
    attachments: [`https://files.example/${encodeURIComponent(tender.slug)}.pdf`],
    ...writeContacts(tender.slug),
    logo: null,
  };
}
