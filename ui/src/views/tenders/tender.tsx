import type { JSX } from 'preact';
import type { ApiRow, Cell, TenderAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Loaded, Nothing, Section } from '../../components/basics.js';
import { Fact, WebLink } from '../../components/facts.js';
import { cell, count, instant, NONE } from '../../lib/format.js';
import { Link } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';
import { useTitle } from '../../lib/use-title.js';

const COMPARED = [
  'title',
  'status',
  'type',
  'announced_date',
  'deadline_date',
  'countries',
  'industries',
  'attachments',
] as const;

/** Everything about one tender. */
export function TenderView({ slug }: { slug: string }): JSX.Element {
  const tender = useData<TenderAnswer>(`/api/v1/tender?slug=${encodeURIComponent(slug)}`);
  const title = tender.data?.tender['title'];
  useTitle(typeof title === 'string' ? title : null);
  return (
    <Loaded from={tender}>
      {(data) => (
        <>
          <Heading tender={data.tender} />
          <div class="columns">
            <Section title="Text">
              {data.tender['description_text'] === null ? (
                <Nothing>The API has no text of this tender.</Nothing>
              ) : (
                <p class="lines prose">{cell(data.tender['description_text'])}</p>
              )}
            </Section>
            <div>
              <Facts data={data} />
              <Contacts contacts={data.contacts} />
              <Changes versions={data.versions} />
            </div>
          </div>
        </>
      )}
    </Loaded>
  );
}

function Heading({ tender }: { tender: ApiRow }): JSX.Element {
  const left = tender['days_left'];
  return (
    <div class="heading">
      <h1>{cell(tender['title']) || cell(tender['slug'])}</h1>
      <p class="badges">
        {tender['is_open'] === true ? <Badge kind="good">Open</Badge> : <Badge kind="warn">Not open</Badge>}
        {typeof tender['status'] === 'string' && <Badge>{tender['status']}</Badge>}
        {typeof left === 'number' && <Badge>{left === 1 ? '1 day left' : `${count(left)} days left`}</Badge>}
      </p>
      <p class="about">
        <Link href="/tenders">Tenders</Link> · id {cell(tender['slug'])} · last read {instant(tender['observed_at'])}{' '}
        UTC
      </p>
    </div>
  );
}

function Facts({ data: { tender, donors, attachments } }: { data: TenderAnswer }): JSX.Element {
  return (
    <Section
      title="Facts"
      about="The API has no field for the value of a tender. If the text names a value, see the text for its currency."
    >
      <dl class="facts">
        <Fact name="Type">{cell(tender['type'] ?? tender['project_type']) || NONE}</Fact>
        <Fact name="Announced">{instant(tender['announced_at'] ?? tender['announced_date'])}</Fact>
        <Fact name="Deadline">
          {instant(tender['deadline_at'] ?? tender['deadline_date'])}
          {typeof tender['deadline_at'] === 'string' && ', time zone not stated'}
        </Fact>
        <Fact name="Countries">
          <Values by="country" of={tender['countries']} />
        </Fact>
        <Fact name="Industries">
          <Values by="industry" of={tender['industries']} />
        </Fact>
        <Fact name="Donors">
          {donors.length === 0 && NONE}
          {donors.map(({ position, name, payload, tenders }) => (
            <span class="line" key={position}>
              {name === null ? (
                <code>{cell(payload)}</code>
              ) : (
                <Link href={listAddress('donor', name)}>
                  {name} ({count(tenders)} {tenders === 1 ? 'tender' : 'tenders'})
                </Link>
              )}
            </span>
          ))}
        </Fact>
        <Fact name="Attachments">
          {attachments.length === 0 && NONE}
          {attachments.map(({ url }, i) => (
            <span class="line" key={i}>
              <WebLink address={url} />
            </span>
          ))}
        </Fact>
        <Fact name="First listed">{cell(tender['first_seen_on']) || NONE}</Fact>
        <Fact name="Last listed">{cell(tender['last_seen_on']) || NONE}</Fact>
        {tender['extra'] !== null && (
          <Fact name="Other fields">
            <code>{cell(tender['extra'])}</code>
          </Fact>
        )}
      </dl>
    </Section>
  );
}

function Contacts({ contacts }: { contacts: TenderAnswer['contacts'] }): JSX.Element | null {
  if (contacts.length === 0) return null;
  const hidden = contacts.every(({ name }) => name === null);
  return (
    <Section title="Contacts">
      {hidden ? (
        <Nothing>
          {contacts.length === 1 ? 'One contact' : `${count(contacts.length)} contacts`}. Names and numbers are not
          kept: the configuration keeps no personal data.
        </Nothing>
      ) : (
        <dl class="facts">
          {contacts.map(({ kind, type, name }, i) => (
            <Fact key={i} name={kind ?? type ?? NONE}>
              {name ?? NONE}
            </Fact>
          ))}
        </dl>
      )}
    </Section>
  );
}

/** What changed from version to version, newest first. */
function Changes({ versions }: { versions: ApiRow[] }): JSX.Element | null {
  const changes = versions.flatMap((version, i) => {
    const before = versions[i + 1];
    const at = instant(version['valid_from']);
    if (before === undefined) return [];
    const changed = COMPARED.filter((field) => cell(version[field]) !== cell(before[field]));
    return changed.map((field) => ({ at, field, old: cell(before[field]), now: cell(version[field]) }));
  });
  if (versions.length < 2) return null;
  return (
    <Section title="Changes" about={`${count(versions.length)} versions.`}>
      {changes.length === 0 && <Nothing>Only the text, the logo or the donors changed.</Nothing>}
      <ul class="timeline">
        {changes.map(({ at, field, old, now }, i) => (
          <li key={i}>
            <time>{at}</time>
            <div>
              <strong>{field.replaceAll('_', ' ')}</strong>
              <p class="change">
                <del>{old || 'none'}</del> <ins>{now || 'none'}</ins>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Values({ by, of }: { by: string; of: Cell | undefined }): JSX.Element {
  if (!Array.isArray(of) || of.length === 0) return <>{NONE}</>;
  return (
    <>
      {of.map((value) => (
        <span class="line" key={cell(value)}>
          <Link href={listAddress(by, cell(value))}>{cell(value)}</Link>
        </span>
      ))}
    </>
  );
}

function listAddress(by: string, value: string): string {
  return `/tenders?${new URLSearchParams({ [by]: value, stage: 'all' }).toString()}`;
}
