import type { SearchAttributeType } from '@temporalio/common';
import { REQUIRED_ATTRIBUTES, STATE_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { errorMessage, TidemarkError } from '../base/errors.js';
import type { TemporalClient } from './connect.js';
import { INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED } from './grpc-status.js';

interface Attribute {
  name: string;
  type: SearchAttributeType;
}

const WANTED: readonly Attribute[] = [...REQUIRED_ATTRIBUTES, ...STATE_ATTRIBUTES];

// temporal.api.enums.v1.IndexedValueType, and the name that the Temporal CLI uses
const TYPES: Partial<Record<SearchAttributeType, { code: number; name: string }>> = {
  KEYWORD: { code: 2, name: 'Keyword' },
  INT: { code: 3, name: 'Int' },
  DOUBLE: { code: 4, name: 'Double' },
};

/** Arguments that let a Temporal dev server register the search attributes: `--search-attribute TidemarkDate=Keyword`. */
export const DEV_SERVER_ATTRIBUTES: readonly string[] = WANTED.flatMap((one) => ['--search-attribute', declare(one)]);

/** Which of Tidemark's search attributes a namespace has. */
export interface AttributeState {
  /** Names of the attributes that show a run's state and that runs may set. */
  state: string[];
  /** Missing attributes, `name=Type`. Commands and schedules need the required ones; the list of runs shows the others. */
  missing: { required: string[]; state: string[] };
}

/**
 * Finds which search attributes of Tidemark the namespace has. An attribute of another type counts as missing.
 * @throws TidemarkError when the namespace does not exist, or a required attribute has another type
 */
export async function readSearchAttributes(temporal: TemporalClient): Promise<AttributeState> {
  return stateWithout(await missingAttributes(temporal));
}

function stateWithout(missing: readonly string[]): AttributeState {
  const isMissing = (one: Attribute): boolean => missing.includes(one.name);
  return {
    state: STATE_ATTRIBUTES.filter((one) => !isMissing(one)).map(({ name }) => name),
    missing: {
      required: REQUIRED_ATTRIBUTES.filter(isMissing).map(declare),
      state: STATE_ATTRIBUTES.filter(isMissing).map(declare),
    },
  };
}

async function missingAttributes(temporal: TemporalClient): Promise<string[]> {
  const { connection, target } = temporal;
  const { namespace } = target;
  const present = await connection.operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    if (isForbidden(error)) return null;
    throw namespaceError(namespace, error);
  });
  if (present === null) return unknownToQueries(temporal);
  const types = present.customAttributes ?? {};
  const isWrong = ({ name, type }: Attribute): boolean =>
    types[name] !== undefined && types[name] !== TYPES[type]?.code;
  const wrong = REQUIRED_ATTRIBUTES.filter(isWrong).map(({ name }) => name);
  if (wrong.length > 0) {
    throw new TidemarkError(
      'InvalidConfig',
      `Search attributes of namespace ${namespace} have a type other than Keyword: ${wrong.join(', ')}.`,
      {
        todo: 'Use another namespace (TEMPORAL_NAMESPACE), or remove these attributes with `temporal operator search-attribute remove`.',
      },
    );
  }
  return WANTED.filter((one) => types[one.name] === undefined || isWrong(one)).map(({ name }) => name);
}

/**
 * Returns whether the server forbids ordinary clients to call the operator service. Temporal Cloud and servers with
 * authorization do this.
 */
function isForbidden(error: unknown): boolean {
  const { code } = error as { code?: number };
  return code === PERMISSION_DENIED || code === UNIMPLEMENTED;
}

/**
 * Finds missing attributes without the operator service. Sends a query for each attribute: the server rejects a query
 * that names a missing attribute.
 */
async function unknownToQueries({ client, target }: TemporalClient): Promise<string[]> {
  const { namespace } = target;
  const missing: string[] = [];
  for (const { name } of WANTED) {
    try {
      await client.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NULL` });
    } catch (error) {
      if ((error as { code?: number }).code !== INVALID_ARGUMENT) throw namespaceError(namespace, error);
      missing.push(name);
    }
  }
  return missing;
}

/** Result of `ensureSearchAttributes`. */
export interface EnsuredAttributes extends AttributeState {
  /** Names of the attributes that were added. */
  added: string[];
  /** What the list of runs lacks, and the remedy, for people; null when nothing is missing. */
  warning: string | null;
}

/**
 * Registers Tidemark's search attributes in the namespace. If the namespace refuses attributes that only show a run's
 * state, runs work without them.
 * @throws TidemarkError when the namespace does not exist or refuses a required attribute
 */
export async function ensureSearchAttributes(temporal: TemporalClient): Promise<EnsuredAttributes> {
  const before = await missingAttributes(temporal);
  const { namespace } = temporal.target;
  const refusal = before.length === 0 ? null : await add(temporal, before);
  // Another worker may have registered them at the same time. So look again after a refusal.
  const { state, missing } = stateWithout(before.length === 0 ? [] : await missingAttributes(temporal));
  const why = refusal === null ? '' : ` and refuses new ones: ${errorMessage(refusal)}`;
  if (missing.required.length > 0) {
    throw new TidemarkError(
      'InvalidConfig',
      `Namespace ${namespace} lacks the search attributes ${missing.required.join(', ')}${why}`,
      {
        todo: `Without them, every run would hang. Ask an administrator to add ${missing.required.join(', ')} (on Temporal Cloud: in the namespace's settings).`,
        cause: refusal,
      },
    );
  }
  const warning =
    missing.state.length === 0
      ? null
      : `Namespace ${namespace} lacks the search attributes ${missing.state.join(', ')}, or has them with another type${why}. Runs work, but the list of the Temporal UI does not show these values. Ask an administrator to add them with these types, then restart the workers.`;
  const absent = new Set([...missing.required, ...missing.state].map((one) => one.split('=')[0]));
  const added = before.filter((name) => !absent.has(name));
  if (added.length > 0) await untilVisible(temporal, absent.size);
  return { state, missing, added, warning };
}

/** Registers attributes: all at once, or, if the namespace refuses that, one by one. Returns the last refusal. */
async function add({ connection, target }: TemporalClient, names: readonly string[]): Promise<unknown> {
  const register = async (some: readonly Attribute[]): Promise<unknown> => {
    const searchAttributes = Object.fromEntries(some.map(({ name, type }) => [name, TYPES[type]?.code ?? 0]));
    try {
      await connection.operatorService.addSearchAttributes({ namespace: target.namespace, searchAttributes });
      return null;
    } catch (error) {
      return error;
    }
  };
  const wanted = WANTED.filter(({ name }) => names.includes(name));
  let refusal = await register(wanted);
  if (refusal === null || wanted.length === 1) return refusal;
  refusal = null;
  for (const one of wanted) refusal = (await register([one])) ?? refusal;
  return refusal;
}

// Waits up to 5 s until the server knows new attributes. Until then the server would reject a new run.
async function untilVisible(temporal: TemporalClient, absent: number): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await unknownToQueries(temporal)).length <= absent) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function declare({ name, type }: Attribute): string {
  return `${name}=${TYPES[type]?.name ?? type}`;
}

/** Converts "not found" of a namespace-wide gRPC call into a TidemarkError; returns any other error unchanged. */
export function namespaceError(namespace: string, error: unknown): unknown {
  if ((error as { code?: number }).code !== NOT_FOUND) return error;
  return new TidemarkError('InvalidConfig', `Temporal has no namespace "${namespace}".`, {
    todo: `Set TEMPORAL_NAMESPACE, or create it: temporal operator namespace create -n ${namespace}`,
    cause: error,
  });
}
