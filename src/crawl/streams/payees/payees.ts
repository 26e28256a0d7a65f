import { randomUUID } from 'node:crypto';
import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import { keepsContacts, type Config } from '../../../config/config.js';
import { sentCheckFile } from '../../../store/data-folder.js';
import { kindOf } from '../../judge/kinds.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';
import { folderChanged } from '../../records/folder-changed.js';
import { sendOnce } from '../send-once.js';
import { fingerprintOf, maskOf } from './question.js';
import { payeesOf } from './run-payees.js';

/**
 * Checks payees (reference v2, "Other routes named for version 2"). The entity is the question (`payeeQuestion`), which
 * holds no account number. If the payee was checked before, repeats the earlier check by its id.
 *
 * Never aborts a request that was sent, because the API may charge for it. The row kind is `call-<n>`: n is how many
 * calls this run sent for this answer. Calls that surely ran no check do not count.
 */
export const payeeChecks: Fetcher = {
  costly: true,
  async fetch(question, { client, ctx, signal, deps: { config, data }, about: earlier, add }) {
    const payee = (await payeesOf(data, ctx)).payees.get(question);
    if (payee === undefined)
      throw folderChanged(config.dataDir, `the list ${ctx.file} no longer holds a payee of this run`);
    signal.throwIfAborted();
    const send = async () => check(client, payee, earlier, maskFor(config, [payee]));
    let answer: ApiResponse<unknown> | undefined;
    for (let call = 1; answer === undefined; call++) {
      const file = sentCheckFile(config.dataDir, ctx.run, fingerprintOf(question), call);
      answer = await sendOnce(data, file, randomUUID(), send);
      if (answer !== undefined) add(rowOf(answer, question, `call-${call}`));
    }
  },
};

/** Fetches the reports of checks. The entity is the id of a check. */
export const payeeReports: Fetcher = {
  async fetch(id, { client, ctx, signal, deps: { config, data }, about, add }) {
    const { payees: all } = await payeesOf(data, ctx);
    const payees = (JSON.parse(about ?? '[]') as string[]).flatMap((question) => all.get(question) ?? []);
    add(rowOf(await client.v2.kyb.payeeReport(id, { signal, ...maskFor(config, payees) }), id, 'record'));
  },
};

type Masking = Pick<CallOptions, 'mask'>;

/** Repeats the earlier check. If there is none, or if the API no longer knows it, runs a new check. */
async function check(
  client: ApiClient,
  payee: Payee,
  earlier: string | null,
  call: Masking,
): Promise<ApiResponse<unknown>> {
  if (earlier !== null) {
    try {
      return await client.v2.kyb.checkPayeeAgain(earlier, {}, call);
    } catch (error) {
      if (!['gone', 'invalid'].includes(kindOf(error))) throw error;
    }
  }
  return client.v2.kyb.checkPayee({ ...payee }, call);
}

function maskFor(config: Config, payees: readonly Payee[]): Masking {
  return keepsContacts(config) ? {} : { mask: maskOf(payees) };
}
