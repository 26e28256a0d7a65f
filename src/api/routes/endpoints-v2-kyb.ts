import type { OwnershipParameters } from '../../../schemas/v2/ownership.js';
import type { PayeeRequest } from '../../../schemas/v2/payee.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import type { CallOptions } from '../options.js';
import { opaque } from '../route.js';

/**
 * Creates the calls about owners and payees (reference v2, section "Other routes named for version 2"). The reference
 * shows no request and no answer. So the client sends parameters unchanged and accepts any JSON as answer.
 *
 * Each POST starts a new job or check. So the client retries it only if the request surely did not arrive.
 */
export function createKybEndpoints(caller: Caller) {
  return {
    /**
     * Returns a company's ultimate beneficial owners. The reference mentions an ownership threshold, but does not name
     * the parameter that sets it. `readOwners(response.body)` says whether the answer is conclusive.
     */
    ubo: async (id: Id, query: OwnershipParameters = {}, call?: CallOptions) =>
      caller.call(opaque('GET /v2/kyb/{id}/ubo'), { ids: [id], query }, call),
    /** Starts a job in which the API resolves ownership chains with live registry data. `readJob(body)` gives its id. */
    startUboEnrichment: async (id: Id, body: OwnershipParameters = {}, call?: CallOptions) =>
      caller.call(opaque('POST /v2/kyb/{id}/ubo/enrich', 'unsent'), { ids: [id], body }, call),
    /** Returns the state of an ownership job: `readJob(response.body)`. */
    uboEnrichment: async (id: Id, jobId: Id, call?: CallOptions) =>
      caller.call(opaque('GET /v2/kyb/{id}/ubo/enrich/{job_id}'), { ids: [id, jobId] }, call),
    /**
     * Checks a payee. `readPayeeDecision(response.data)` gives `OK_TO_PAY`, `REVIEW_BEFORE_PAYING` or `DO_NOT_PAY`.
     */
    checkPayee: async (body: PayeeRequest, call?: CallOptions) =>
      caller.call(opaque('POST /v2/know-your-payee', 'unsent'), { body }, call),
    /** Returns a payee report. */
    payeeReport: async (id: Id, call?: CallOptions) =>
      caller.call(opaque('GET /v2/know-your-payee/{id}'), { ids: [id] }, call),
    /** Repeats an earlier payee check. */
    checkPayeeAgain: async (id: Id, body: PayeeRequest = {}, call?: CallOptions) =>
      caller.call(opaque('POST /v2/know-your-payee/{id}', 'unsent'), { ids: [id], body }, call),
  };
}
