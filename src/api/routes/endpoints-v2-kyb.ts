import type { OwnershipParameters } from '../../../schemas/v2/ownership.js';
import type { PayeeRequest } from '../../../schemas/v2/payee.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import type { ApiResponse, CallOptions } from '../options.js';
import { opaque } from '../route.js';

// Each POST starts a new job or check. So retry it only if the request surely did not arrive.
const route = {
  ubo: opaque('GET /v2/kyb/{id}/ubo'),
  startUboEnrichment: opaque('POST /v2/kyb/{id}/ubo/enrich', 'unsent'),
  uboEnrichment: opaque('GET /v2/kyb/{id}/ubo/enrich/{job_id}'),
  checkPayee: opaque('POST /v2/know-your-payee', 'unsent'),
  payeeReport: opaque('GET /v2/know-your-payee/{id}'),
  checkPayeeAgain: opaque('POST /v2/know-your-payee/{id}', 'unsent'),
} as const;

/**
 * Calls about owners and payees (reference v2, section "Other routes named for version 2"). The reference shows no
 * request and no answer. So the client sends parameters unchanged and accepts any JSON as answer.
 */
export interface KybEndpoints {
  /**
   * Returns a company's ultimate beneficial owners. The reference mentions an ownership threshold, but does not name
   * the parameter that sets it. `readOwners(response.body)` says whether the answer is conclusive.
   */
  ubo(id: Id, parameters?: OwnershipParameters, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Starts a job in which the API resolves ownership chains with live registry data. `readJob(body)` gives its id. */
  startUboEnrichment(id: Id, parameters?: OwnershipParameters, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Returns the state of an ownership job: `readJob(response.body)`. */
  uboEnrichment(id: Id, jobId: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /**
   * Checks a payee. `readPayeeDecision(response.data)` gives `OK_TO_PAY`, `REVIEW_BEFORE_PAYING` or `DO_NOT_PAY`.
   */
  checkPayee(request: PayeeRequest, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Returns a payee report. */
  payeeReport(id: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Repeats an earlier payee check. */
  checkPayeeAgain(id: Id, request?: PayeeRequest, call?: CallOptions): Promise<ApiResponse<unknown>>;
}

/** Creates the owner and payee endpoints, which send their requests through `caller`. */
export function createKybEndpoints(caller: Caller): KybEndpoints {
  return {
    ubo: async (id, query = {}, call) => caller.call(route.ubo, { ids: [id], query }, call),
    startUboEnrichment: async (id, body = {}, call) => caller.call(route.startUboEnrichment, { ids: [id], body }, call),
    uboEnrichment: async (id, jobId, call) => caller.call(route.uboEnrichment, { ids: [id, jobId] }, call),
    checkPayee: async (body, call) => caller.call(route.checkPayee, { body }, call),
    payeeReport: async (id, call) => caller.call(route.payeeReport, { ids: [id] }, call),
    checkPayeeAgain: async (id, body = {}, call) => caller.call(route.checkPayeeAgain, { ids: [id], body }, call),
  };
}
