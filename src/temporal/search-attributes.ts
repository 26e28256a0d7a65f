import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE } from '../../workflows/search-attributes.js';
import { errorMessage, TidemarkError } from '../core/errors.js';
import type { TemporalClient } from './connect.js';

const WANTED = [MARKET_ATTRIBUTE.name, DATE_ATTRIBUTE.name];
// temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
const KEYWORD = 2;

/**
 * Lists the search attributes of Tidemark that the namespace lacks.
 * @throws TidemarkError when the namespace does not exist, or an attribute has another type
 */
export async function missingSearchAttributes(temporal: TemporalClient): Promise<string[]> {
  const { connection, target } = temporal;
  const { namespace } = target;
  const present = await connection.operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    if (isForbidden(error)) return null;
    throw namespaceError(namespace, error);
  });
  if (present === null) return unknownToQueries(temporal);
  const types = present.customAttributes ?? {};
  const wrong = WANTED.filter((name) => types[name] !== undefined && types[name] !== KEYWORD);
  if (wrong.length > 0) {
    throw new TidemarkError(
      'InvalidConfig',
      `Search attributes of namespace ${namespace} have a type other than Keyword: ${wrong.join(', ')}.`,
      {
        todo: 'Use another namespace (TEMPORAL_NAMESPACE), or remove these attributes with `temporal operator search-attribute remove`.',
      },
    );
  }
  return WANTED.filter((name) => types[name] === undefined);
}

// Status codes of gRPC.
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * True when ordinary clients may not call the operator service, as on Temporal Cloud and on servers with authorization.
 */
function isForbidden(error: unknown): boolean {
  const { code } = error as { code?: number };
  return code === PERMISSION_DENIED || code === UNIMPLEMENTED;
}

/** Finds missing attributes without the operator service: the server rejects a query that names a missing attribute. */
async function unknownToQueries({ client, target }: TemporalClient): Promise<string[]> {
  const { namespace } = target;
  const missing: string[] = [];
  for (const name of WANTED) {
    try {
      await client.workflowService.countWorkflowExecutions({ namespace, query: `${name} = 'none'` });
    } catch (error) {
      if ((error as { code?: number }).code !== INVALID_ARGUMENT) throw namespaceError(namespace, error);
      missing.push(name);
    }
  }
  return missing;
}

/**
 * Registers Tidemark's search attributes in the namespace.
 * @returns Names of the attributes it added
 * @throws TidemarkError when the namespace is missing or refuses new attributes
 */
export async function ensureSearchAttributes(temporal: TemporalClient): Promise<string[]> {
  const missing = await missingSearchAttributes(temporal);
  if (missing.length === 0) return [];
  const { namespace } = temporal.target;
  try {
    await temporal.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    // Another worker may have registered them at the same time.
    if ((await missingSearchAttributes(temporal)).length === 0) return [];
    throw new TidemarkError(
      'InvalidConfig',
      `Namespace ${namespace} lacks the search attributes ${missing.join(', ')} and refuses new ones: ${errorMessage(error)}`,
      {
        todo: `Without them, every run would hang. Ask an administrator to add the Keyword attributes ${missing.join(', ')} (on Temporal Cloud: in the namespace's settings).`,
        cause: error,
      },
    );
  }
  await untilVisible(temporal);
  return missing;
}

// Waits up to 5 s until the server knows new attributes. Until then the server would reject a new run.
async function untilVisible(temporal: TemporalClient): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await unknownToQueries(temporal)).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Converts "not found" of a namespace-wide gRPC call into a TidemarkError; returns any other error unchanged. */
export function namespaceError(namespace: string, error: unknown): unknown {
  if ((error as { code?: number }).code !== 5) return error;
  return new TidemarkError('InvalidConfig', `Temporal has no namespace "${namespace}".`, {
    todo: `Set TEMPORAL_NAMESPACE, or create it: temporal operator namespace create -n ${namespace}`,
    cause: error,
  });
}
