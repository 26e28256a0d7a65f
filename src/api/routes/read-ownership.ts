import { readJson } from '../../base/json/json-nodes.js';

/*
 * Reads answers about owners and jobs. The reference shows none of these answers. It says only that a job has an id,
 * and that a flag shows whether an answer is conclusive (section "Other routes named for version 2").
 */

/**
 * What an answer about a job says. In the state `unclear`, the answer has no state that Tidemark knows; the job then
 * counts as running.
 */
export interface JobAnswer {
  /** The job's id as text; null if the answer names no id or several ids. */
  jobId: string | null;
  state: 'running' | 'done' | 'failed' | 'unclear';
}

const DONE = new Set('complete completed done finished ready resolved succeeded success'.split(' '));
const FAILED = new Set('aborted cancelled canceled error errored expired failed failure rejected timedout'.split(' '));
const RUNNING = new Set(
  'accepted active created enqueued inprogress new open pending processing queued running scheduled started waiting'.split(
    ' ',
  ),
);

type Members = [key: string, value: unknown][];

/**
 * Reads an answer about a job. Searches the fields of the answer and the fields of the objects in it.
 * @param body JSON text; long ids are not rounded
 */
export function readJob(body: string): JobAnswer {
  const { top, all, named, inJob } = membersOf(body);
  // If no field has a clearer name, the field `id` of the answer is the job's id.
  const jobId = only([named, inJob, textsOf(top, ['id'])].find((ids) => ids.length > 0) ?? []);
  const states = textsOf(all, ['status', 'state', 'phase', 'jobstatus', 'jobstate']).map(plain);
  const flags = all.filter(([key]) => key === 'finished' || key === 'done').map(([, value]) => value);
  if (states.some((state) => FAILED.has(state))) return { jobId, state: 'failed' };
  if (states.some((state) => RUNNING.has(state))) return { jobId, state: 'running' };
  if (states.some((state) => DONE.has(state))) return { jobId, state: 'done' };
  if (states.length > 0 || flags.length === 0) return { jobId, state: 'unclear' };
  return { jobId, state: flags.every((flag) => flag === true) ? 'done' : 'running' };
}

/**
 * Reads an answer about owners. Follows the same rules as sql/staging/ownership.sql.
 * @returns `conclusive`: whether the owners are conclusive; null if the answer does not say, or contradicts itself.
 * `jobId`: id of the job that the answer names; null if it names none or several
 */
export function readOwners(body: string): { conclusive: boolean | null; jobId: string | null } {
  const { all, named, inJob } = membersOf(body);
  const flags = all.flatMap(([key, value]) => {
    const flag = /^(true|yes)$/i.test(text(value)) ? true : /^(false|no)$/i.test(text(value)) ? false : null;
    if (key === 'conclusive' || key === 'isconclusive') return [flag];
    return key === 'inconclusive' || key === 'isinconclusive' ? [flag === null ? null : !flag] : [];
  });
  const conclusive = new Set(flags).size === 1 ? (flags[0] ?? null) : null;
  return { conclusive, jobId: only([...named, ...inJob]) };
}

/** What an answer says: its own fields, and with those of the objects in it; ids of jobs by name, and in `job`. */
interface Answer {
  top: Members;
  all: Members;
  named: string[];
  inJob: string[];
}

function membersOf(body: string): Answer {
  // Turn long whole numbers into text, because a JavaScript number would round them.
  const top = entriesOf(readJson(body.replaceAll(/([:[,]\s*)(-?\d{16,})(?=\s*[,}\]])/g, '$1"$2"')));
  const all = [...top, ...top.flatMap(([, inner]) => entriesOf(inner))];
  const job = top.filter(([key]) => key === 'job').flatMap(([, inner]) => entriesOf(inner));
  return {
    top,
    all,
    named: textsOf(all, ['jobid', 'enrichmentjobid', 'uboenrichmentjobid']),
    inJob: textsOf(job, ['id']),
  };
}

/** Returns the fields of an object; none of another value. */
function entriesOf(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).map(([key, member]) => [plain(key), member]);
}

function textsOf(all: Members, keys: string[]): string[] {
  return all
    .filter(([key]) => keys.includes(key))
    .map(([, value]) => text(value))
    .filter((value) => value !== '');
}

function text(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}

/** Returns the value if all values are equal; null if they differ or if there is none. */
function only(values: string[]): string | null {
  return new Set(values).size === 1 ? (values[0] ?? null) : null;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
