import type { JSX } from 'preact';
import type { ApiRow, Cell, CompanyAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Loaded } from '../../components/basics.js';
import { Tabs, useTab } from '../../components/tabs.js';
import { cell } from '../../lib/format.js';
import { useData } from '../../lib/use-data.js';
import { useTitle } from '../../lib/use-title.js';
import { Figures } from './figures.js';
import { History } from './history.js';
import { OwnersAndPeople } from './owners-and-people.js';
import { Profile } from './profile.js';
import { Versions } from './versions.js';

const TABS = [
  ['profile', 'Profile'],
  ['figures', 'Figures'],
  ['history', 'History'],
  ['versions', 'Versions'],
  ['owners', 'Owners and people'],
] as const;

/** Everything about one company. The parameter `tab` of the address names the part that is shown. */
export function CompanyView({ id }: { id: string }): JSX.Element {
  const company = useData<CompanyAnswer>(`/api/v1/companies/${id}`);
  const tab = useTab(TABS);
  const name = company.data?.company['name'];
  useTitle(typeof name === 'string' ? name : null);
  return (
    <Loaded from={company}>
      {(data) => (
        <>
          <Heading data={data} />
          <Tabs tabs={TABS} chosen={tab} />
          {tab === 'profile' && <Profile data={data} />}
          {tab === 'figures' && <Figures data={data} />}
          {tab === 'history' && <History data={data} />}
          {tab === 'versions' && <Versions data={data} />}
          {tab === 'owners' && <OwnersAndPeople data={data} />}
        </>
      )}
    </Loaded>
  );
}

function Heading({ data: { company, summary, moves } }: { data: CompanyAnswer }): JSX.Element {
  const inMarket = summary?.['in_market'] === true;
  const leftOn = summary?.['left_on'];
  const status = company['status'];
  const left = moves.find((move) => move['kind'] === 'left');
  const where = [
    company['address_city'],
    company['country_region'],
    company['country_name'] ?? company['country_code'],
  ];
  return (
    <div class="heading">
      <h1>{cell(company['name'] ?? `Company ${cell(company['company_id'])}`)}</h1>
      <p class="badges">
        {inMarket ? (
          <Badge kind="good">In market</Badge>
        ) : typeof leftOn === 'string' ? (
          <Badge kind="warn">Left the market on {leftOn}</Badge>
        ) : (
          <Badge>Not in a market</Badge>
        )}
        {typeof status === 'string' && <Status status={status} asOf={inMarket ? null : company['observed_at']} />}
        {company['has_details'] === false && (
          <Badge kind="warn">Only named by a search; its record was never read</Badge>
        )}
      </p>
      <p class="about">
        {[where.map(cell).filter(Boolean).join(', '), `id ${cell(company['company_id'])}`].filter(Boolean).join(' · ')}
      </p>
      {!inMarket && left !== undefined && <p class="why">{whyLeft(left, company)}</p>}
    </div>
  );
}

/** The status of the record. `asOf`: when it was read, if it may have changed since. */
function Status({ status, asOf }: { status: string; asOf: Cell | undefined }): JSX.Element {
  if (typeof asOf !== 'string') return <Badge kind={status === 'Active' ? 'good' : 'warn'}>{status}</Badge>;
  return (
    <Badge kind={status === 'Active' ? 'plain' : 'warn'}>
      {status} when last read on {asOf.slice(0, 10)}
    </Badge>
  );
}

const REASONS: Record<string, string> = {
  inactive: 'Reason: it is no longer active. ',
  gone: 'Reason: the API no longer has its record. ',
  moved: 'Reason: a field that filters use has changed. ',
};

/** Says what the data shows about why a company left its market. */
function whyLeft(left: ApiRow, company: ApiRow): string {
  const wasRead = company['has_details'] !== false;
  const reason =
    left['reason'] === 'gone' && !wasRead
      ? 'Reason: the API has no record of it. '
      : (REASONS[cell(left['reason'])] ?? '');
  const night = `${reason}The complete night of ${cell(left['date'])} did not find it in ${cell(left['market'])} any more.`;
  if (left['field'] !== null && left['field'] !== undefined) {
    return `${night} Shortly before, ${cell(left['field'])} changed from “${cell(left['old_value'] ?? 'none')}” to “${cell(left['new_value'] ?? 'none')}”.`;
  }
  const status = company['status'];
  if (typeof status === 'string' && status !== 'Active') return `${night} Its last known status is ${status}.`;
  if (left['reason'] === 'gone') return night;
  return `${night} No change of its record explains this: the API no longer lists it under the filters of the market.`;
}
