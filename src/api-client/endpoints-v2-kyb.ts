import type { OwnershipParameters } from '../../schemas/v2/ownership.js';
import type { PayeeRequest } from '../../schemas/v2/payee.js';
import type { Id } from '../../schemas/v2/scalars.js';
import type { Caller } from './caller.js';
import type { ApiResponse, CallOptions } from './options.js';
import { opaque } from './readers.js';

// Starting a job or a check twice makes two of them: repeated only when the first surely did not arrive.
const route = {
  ubo: { endpoint: 'GET /v2/kyb/{id}/ubo', reader: opaque(), repeat: 'always' },
  startUboEnrichment: { endpoint: 'POST /v2/kyb/{id}/ubo/enrich', reader: opaque(), repeat: 'unsent' },
  uboEnrichment: { endpoint: 'GET /v2/kyb/{id}/ubo/enrich/{job_id}', reader: opaque(), repeat: 'always' },
  checkPayee: { endpoint: 'POST /v2/know-your-payee', reader: opaque(), repeat: 'unsent' },
  payeeReport: { endpoint: 'GET /v2/know-your-payee/{id}', reader: opaque(), repeat: 'always' },
  checkPayeeAgain: { endpoint: 'POST /v2/know-your-payee/{id}', reader: opaque(), repeat: 'unsent' },
} as const;

/**
 * Owners and payees (reference v2, section "Other routes named for version 2"). Payloads are not shown: parameters are
 * sent verbatim, answers come as any JSON.
 */
export interface KybEndpoints {
  /** Ultimate beneficial owners of a company; the threshold's parameter name is not shown. */
  ubo(id: Id, parameters?: OwnershipParameters, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Starts a job that resolves ownership chains with live registry data; the answer names the job. */
  startUboEnrichment(id: Id, parameters?: OwnershipParameters, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Reads such a job. */
  uboEnrichment(id: Id, jobId: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Runs a payee check: `OK_TO_PAY`, `REVIEW_BEFORE_PAYING` or `DO_NOT_PAY`. */
  checkPayee(request: PayeeRequest, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Reads a payee report. */
  payeeReport(id: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Runs a check of the history again. */
  checkPayeeAgain(id: Id, request?: PayeeRequest, call?: CallOptions): Promise<ApiResponse<unknown>>;
}

/** Binds the owner and payee routes to a caller. */
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
