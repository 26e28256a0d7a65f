import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { ErrorType } from '../schemas/pipeline/error-type.js';

/** Workflow types that a person can start, each with an example input. */
export const STARTABLE = {
  marketSnapshot: '{"market": "demo"}',
  tenderSnapshot: '{}',
  watchSync: '{}',
  backfill: '{"from": "2026-01-01", "to": "2026-01-31"}',
  resolveCompanies: '{"file": "resolve/suppliers.csv"}',
  enrichPeople: '{"file": "resolve/contacts.csv"}',
  checkPayees: '{"file": "payees/suppliers.csv"}',
  enrichOwners: '{"market": "demo"}',
  retryRejects: '{}',
  rebuildWarehouse: '{}',
} as const;

/**
 * Runs instead of any workflow type that does not exist, such as a misspelt one. Fails at once and lists the valid
 * types. Without this workflow, Temporal would retry the workflow task forever.
 * @throws ApplicationFailure `InvalidInput`
 */
export async function unknownType(): Promise<never> {
  const { workflowType } = workflowInfo();
  const types = Object.entries(STARTABLE).map(([type, input]) => `${type} ${input}`);
  const meant = Object.keys(STARTABLE).find((type) => plain(type) === plain(workflowType));
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const message = `Tidemark has no workflow type "${workflowType}".${hint} Start one of these types; each is shown with an example of its input: ${types.join('; ')}.`;
  const type: ErrorType = 'InvalidInput';
  throw ApplicationFailure.nonRetryable(message, type);
}

function plain(type: string): string {
  return type.toLowerCase().replaceAll(/[^a-z]/g, '');
}
