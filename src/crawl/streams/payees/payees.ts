import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../../api/index.js';
import { keepsContacts, type Config } from '../../../config/config.js';
import { sentChecksFile } from '../../../store/data-folder.js';
import { createMask } from './mask.js';
import { fingerprintOf } from './question.js';
import { SentChecks } from './sent-checks.js';
import { rowOf } from '../../records/answer.js';
import { payeesOf } from './asked-payees.js';
import { knownChecks } from './known-checks.js';
import { folderChanged } from '../../records/folder-changed.js';
import type { CrawlDeps } from '../../records/deps.js';
import type { Fetcher } from '../../records/fetcher.js';
import { didNothing, kindOf } from '../../judge/kinds.js';

/**
 * Checks payees (reference v2, "Other routes named for version 2"). The entity is the question (`payeeQuestion`), which
 * holds no account number. If the payee was checked before, repeats the earlier check by its id.
 *
 * Never aborts a request that was sent, because the API may charge for it. The row kind is `call-<n>`: n is how many
 * calls this run sent for this answer. Calls that surely ran no check do not count.
 */
export const payeeChecks: Fetcher = {
  costly: true,
  async *fetch(client, ctx, question, signal, _routes, { deps: { config, data }, chunk }) {
    const payee = (await payeesOf(data, ctx)).payees.get(question);
    if (payee === undefined)
      throw folderChanged(config.dataDir, `the list ${ctx.file} no longer holds a payee of this run`);
    signal.throwIfAborted();
    const earlier = (await knownChecks(data, ctx, 'payee_checks')).checkOf.get(question);
    const call = maskFor(config, [payee]);
    const sent = new SentChecks(sentChecksFile(config.dataDir, ctx.run, chunk), data);
    const fingerprint = fingerprintOf(question);
    const calls = await sent.sending(fingerprint);
    try {
      yield rowOf(await check(client, payee, earlier, call), question, `call-${calls}`);
    } catch (error) {
      if (didNothing(error)) await sent.notRun(fingerprint);
      throw error;
    }
  },
  finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
};

/** Fetches the reports of checks. The entity is the id of a check. */
export const payeeReports: Fetcher = {
  async *fetch(client, ctx, id, signal, _routes, { deps }) {
    const call = { signal, ...(await maskForCheck(deps, ctx, id)) };
    yield rowOf(await client.v2.kyb.payeeReport(id, call), id, 'record');
  },
  finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
};

type Call = { mask?: (text: string) => string };

/** Repeats the earlier check. If there is none, or if the API no longer knows it, runs a new check. */
async function check(
  client: ApiClient,
  payee: Payee,
  earlier: string | undefined,
  call: Call,
): Promise<ApiResponse<unknown>> {
  if (earlier !== undefined) {
    try {
      return await client.v2.kyb.checkPayeeAgain(earlier, {}, call);
    } catch (error) {
      if (!['gone', 'invalid'].includes(kindOf(error))) throw error;
    }
  }
  return client.v2.kyb.checkPayee({ ...payee }, call);
}

function maskFor(config: Config, payees: readonly Payee[]): Call {
  if (keepsContacts(config)) return {};
  return { mask: createMask(payees.flatMap(({ id, identity_value = '' }) => [id, identity_value])) };
}

async function maskForCheck(
  { config, data }: Pick<CrawlDeps, 'config' | 'data'>,
  ctx: RunContext,
  id: string,
): Promise<Call> {
  const { payees } = await payeesOf(data, ctx);
  const questions = (await knownChecks(data, ctx, 'payee_reports')).questionsOf.get(id) ?? [];
  return maskFor(
    config,
    questions.flatMap((question) => payees.get(question) ?? []),
  );
}
