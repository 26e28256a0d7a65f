import { invalid, notFound } from './answers.js';
import type { StubCompany } from './companies.js';
import { Digits } from './json.js';
import { canonical } from './routes-v2.js';
import type { Answer, Asked, StubState } from './state.js';
import type { Truth } from './truth.js';

export const HOUR_MS = 3_600_000;
const JOB_HOURS = 6;

/** An owner as the stub knows it: a person, or a company with its own owners. */
interface StubOwner {
  id: string;
  name: string;
  country: string | null;
  person: boolean;
  /** Percent: of the company for a person, of the next company for a company. */
  share: number;
  owners: StubOwner[];
}

/** The owners of a company: none, people, or people behind companies, up to four companies deep. */
function ownersOf({ place }: StubCompany): StubOwner[] {
  if (place % 7 === 3) return [];
  const person = (n: number, share: number): StubOwner => ({
    id: String(700_000_000_000_000_000n + BigInt(place * 10 + n)),
    // Planted: no byte of these may remain where personal data is not kept.
    name: `Skrytý-${place}-${n}`,
    country: n % 2 === 0 ? 'DK' : null,
    person: true,
    share,
    owners: [],
  });
  let top: StubOwner = person(1, 62.5);
  for (let level = place % 5; level > 0; level--) {
    const id = `co-${place * 10 + level}`;
    top = { id, name: `Holding ${place} ${level} ApS`, country: 'SE', person: false, share: 62.5, owners: [top] };
  }
  return [person(0, 37.5), top];
}

/** Whether the stub knows all owners. Without a job, one company in three has an open chain. */
function isOpen({ place }: StubCompany): boolean {
  return place % 3 === 1;
}

/** Whether answers about a company have the flag. */
function saysFlag({ place }: StubCompany): boolean {
  return place % 4 !== 2;
}

/** Companies whose answers say that they are not conclusive. */
export function inconclusive({ companies }: StubState): StubCompany[] {
  return companies.filter((company) => !company.gone && isOpen(company) && saysFlag(company));
}

/** The routes about owners; null for any other. */
export function answerOwners(state: StubState, { method, path, query, body }: Asked): Answer | null {
  const found = /^\/v2\/kyb\/([^/]+)\/ubo(\/enrich(?:\/([^/]+))?)?$/.exec(path);
  if (found === null) return null;
  const [, id = '', enrich, jobId] = found;
  const company = state.byId.get(canonical(decodeURIComponent(id)));
  if (company === undefined || company.gone) return notFound(state);
  if (jobId !== undefined) {
    const name = decodeURIComponent(jobId);
    const job = state.jobs.byId.get(name);
    return job?.company === company.id ? { status: 200, body: writeJob(state, name) } : notFound(state);
  }
  const asked = enrich === undefined ? query.get('threshold') : body['threshold'];
  const threshold = typeof asked === 'number' ? asked.toString() : typeof asked === 'string' ? asked : '25';
  if (!/^\d+(\.\d+)?$/.test(threshold)) return invalid(state, 'threshold', 'Not a number.');
  if (enrich === undefined) return { status: 200, body: writeOwners(state, company, threshold) };
  if (method !== 'POST') return notFound(state);
  const name = `job:${state.jobs.byId.size + 1}`;
  state.jobs.byId.set(name, { company: company.id, at: now(state) });
  return { status: 201, body: writeJob(state, name) };
}

function now(state: StubState): number {
  return Date.now() + state.jobs.ahead;
}

function isDone(state: StubState, job: { at: number }): boolean {
  return now(state) - job.at >= JOB_HOURS * HOUR_MS;
}

function writeJob(state: StubState, name: string): object {
  const job = state.jobs.byId.get(name)!;
  return { data: { jobId: name, phase: isDone(state, job) ? 'finished' : 'in progress', ofCompany: job.company } };
}

function writeOwners(state: StubState, company: StubCompany, threshold: string): object {
  const done = [...state.jobs.byId.values()].some((job) => job.company === company.id && isDone(state, job));
  return {
    data: {
      minimum: threshold,
      inconclusive: saysFlag(company) ? isOpen(company) && !done : undefined,
      shareholders: ownersOf(company).map((owner) => writeOwner(owner, state.turn)),
      related: [{ id: 'co-1', type: 'company', shareholders: [{ id: '5', name: `Skrytý-${company.place}-related` }] }],
    },
  };
}

function writeOwner(owner: StubOwner, turn: number): object {
  const { id, name, country, share } = owner;
  if (!owner.person) {
    return {
      ownerId: id,
      kind: 'legal entity',
      legalName: name,
      jurisdiction: country,
      directShare: share,
      ownedBy: owner.owners.map((next) => writeOwner(next, turn)),
    };
  }
  return {
    ownerId: turn % 2 === 0 ? id : new Digits(id),
    kind: 'natural person',
    fullName: name,
    born: '1961-02-03',
    jurisdiction: country ?? undefined,
    effectiveShare: `${share} %`,
    homes: { [name]: true },
  };
}

/** Companies with an answer about owners, in the order of their ids. */
function answered({ companies }: StubState): StubCompany[] {
  return companies.filter(({ gone }) => !gone).toSorted((a, b) => Number(a.id) - Number(b.id));
}

export function ownersTruth(state: StubState, resolved: boolean): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS company, threshold, conclusive FROM core.owners ORDER BY company_id`,
    rows: answered(state).map((company) => ({
      company: company.id,
      threshold: 25,
      conclusive: saysFlag(company) ? resolved || !isOpen(company) : null,
    })),
  };
}

export function ownersTreeTruth(state: StubState, _resolved: boolean): Truth {
  const rows = answered(state).flatMap((company) => ownersOf(company).flatMap((owner) => treeRows(company, owner, 1)));
  return {
    sql: `SELECT company_id::VARCHAR AS company, depth, owner_id AS id, owner_name AS name, country, effective_share AS effective,
        direct_share AS direct, is_natural_person AS person
      FROM marts.owners ORDER BY company_id, owner_id`,
    rows: rows.toSorted((a, b) => Number(a.company) - Number(b.company) || (a.id < b.id ? -1 : 1)),
  };
}

function treeRows(company: StubCompany, owner: StubOwner, depth: number): { company: string; id: string }[] {
  const { id, name, country, person, share } = owner;
  const shares = { effective: person ? share : null, direct: person ? null : share };
  const row = { company: company.id, depth, id, name, country, ...shares, person };
  return [row, ...owner.owners.flatMap((next) => treeRows(company, next, depth + 1))];
}

/** The planted names of people. */
export function ownerMarkers(state: StubState): string[] {
  return state.companies.filter((company) => ownersOf(company).length > 0).map(({ place }) => `Skrytý-${place}-`);
}
