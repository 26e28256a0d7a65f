import type { OwnershipParameters } from '../../../schemas/v2/ownership.js';
import type { PayeeRequest } from '../../../schemas/v2/payee.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import { byId, inBody } from '../request.js';
import { opaque } from '../route.js';

/** Makes a request with an id and a body, which may be left out. */
const onId = <T extends object>(id: Id, body?: T): { ids: Id[]; body: T | object } => ({ ids: [id], body: body ?? {} });

/**
 * Creates the calls about owners and payees (reference v2, section "Other routes named for version 2"). The reference
 * shows no request and no answer. So the client sends parameters unchanged and accepts any JSON as answer.
 *
 * Each POST starts a new job or check. So the client retries it only if the request surely did not arrive.
 */
export function createKybEndpoints({ endpoint }: Caller) {
  return {
    /**
     * Returns a company's ultimate beneficial owners. The reference mentions an ownership threshold, but does not name
     * the parameter that sets it. `readOwners(response.body)` says whether the answer is conclusive.
     */
    ubo: endpoint(opaque('GET /v2/kyb/{id}/ubo'), (id: Id, query?: OwnershipParameters) => ({ ids: [id], query })),
    /** Starts a job in which the API resolves ownership chains with live registry data. `readJob(body)` gives its id. */
    startUboEnrichment: endpoint(opaque('POST /v2/kyb/{id}/ubo/enrich', 'unsent'), onId<OwnershipParameters>),
    /** Returns the state of an ownership job: `readJob(response.body)`. */
    uboEnrichment: endpoint(opaque('GET /v2/kyb/{id}/ubo/enrich/{job_id}'), (id: Id, jobId: Id) => ({
      ids: [id, jobId],
    })),
    /**
     * Checks a payee. `readPayeeDecision(response.data)` gives `OK_TO_PAY`, `REVIEW_BEFORE_PAYING` or `DO_NOT_PAY`.
     */
    checkPayee: endpoint(opaque('POST /v2/know-your-payee', 'unsent'), inBody<PayeeRequest>),
    /** Returns a payee report. */
    payeeReport: endpoint(opaque('GET /v2/know-your-payee/{id}'), byId),
    /** Repeats an earlier payee check. */
    checkPayeeAgain: endpoint(opaque('POST /v2/know-your-payee/{id}', 'unsent'), onId<PayeeRequest>),
  };
}
