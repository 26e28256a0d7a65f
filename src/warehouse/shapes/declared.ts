import { z } from 'zod';
import { Nomenclatures, TenderDonors, TenderNomenclatures } from '../../../schemas/v1/nomenclature.js';
import { V1CompaniesResponse, V1Company } from '../../../schemas/v1/company.js';
import { V1CompanyExecutivesResponse, V1Executive, V1ExecutivesResponse } from '../../../schemas/v1/executive.js';
import { V1FinancialReport } from '../../../schemas/v1/financial-report.js';
import { TenderDetails, TendersResponse } from '../../../schemas/v1/tender.js';
import { Employee, EmployeesResponse } from '../../../schemas/v2/employee.js';
import { Company } from '../../../schemas/v2/company.js';
import { ContactMetrics } from '../../../schemas/v2/metrics.js';
import { EnrichEmployeeSearchResponse } from '../../../schemas/v2/enrichment.js';
import { IndicatorValue } from '../../../schemas/v2/financial-report.js';
import { INDICATORS } from '../../../schemas/v2/indicators.js';
import { OverviewResponse } from '../../../schemas/v2/overview.js';
import { ProspectingResponse } from '../../../schemas/v2/prospecting.js';
import { WatchEventsResponse, WatchListResponse, WebhookDelivery } from '../../../schemas/v2/watch.js';

/** What the reference declares about the bodies of one route. */
interface DeclaredBody {
  /** Method and path of the route, with `{id}` in place of ids. */
  route: string;
  schema: z.ZodType;
  /** If a run has at least this many bodies and a field is in none of them, the field is reported as missing. */
  enough: number;
  /** Whether values may describe a person. Then no sample values are shown. */
  personal: boolean;
}

const RECORDS = 100;
const PAGES = 10;
const NEVER = Number.MAX_SAFE_INTEGER;

// Without `personalData: contacts`, these fields are removed before landing (src/privacy/tender-contacts.ts). So they
// never count as missing.
const REMOVED_NAME = /^\$\.contacts\.\w+\[\]\.name$/;
// The body itself, items of arrays, and what is inside a map never count as missing. A report has only the indicators that
// apply to its company.
const OPTIONAL = /^\$$|\[\]$|\*/;

function body(route: string, schema: z.ZodType, enough: number, personal = false): DeclaredBody {
  return { route, schema, enough, personal };
}

// A report is a map: its years are data, not declared fields. The indicators of a year are declared fields.
const Report = z.record(
  z.string(),
  z.looseObject(Object.fromEntries([...INDICATORS.keys()].map((name) => [name, IndicatorValue.optional()]))),
);

/** The declared bodies, by stream of the landing zone. */
const DECLARED: Readonly<Record<string, readonly DeclaredBody[]>> = {
  prospecting: [
    body('POST /v2/prospecting', ProspectingResponse, PAGES),
    body('POST /v1/finder/companies', V1CompaniesResponse, PAGES),
  ],
  companies: [body('GET /v2/companies/{id}', Company, RECORDS)],
  financials: [body('GET /v2/financial/{id}', Report, RECORDS)],
  financials_v1: [body('GET /v1/finder/company/financial', V1FinancialReport, RECORDS)],
  companies_v1: [body('GET /v1/finder/company/details', V1Company, RECORDS)],
  // The reference does not show this answer. So none of its fields counts as new or missing.
  financials_ticker: [body('GET /v2/financial/ticker', z.unknown(), RECORDS)],
  contact_metrics: [body('GET /v2/metrics/contacts', ContactMetrics, PAGES)],
  tenders: [body('POST /v1/finder/tenders', TendersResponse, PAGES)],
  tender_details: [body('GET /v1/finder/tenders/details', TenderDetails, RECORDS, true)],
  nomenclatures: [
    body('GET /v1/finder/nomenclatures', Nomenclatures, 1),
    body('GET /v1/finder/tenders/nomenclatures', TenderNomenclatures, 1),
    body('GET /v1/finder/tenders/donors', TenderDonors, 1),
  ],
  // The reference says "absent in some enrichment responses". So no field of these routes is ever reported as missing.
  matches: [
    ...['enrichment/company', 'enrichment/url', 'enrichment/company/pronet', 'autocomplete'].map((way) =>
      body(`POST /v2/${way}`, Company, NEVER),
    ),
    body('POST /v2/overview', OverviewResponse, NEVER),
    body('POST /v2/prospecting', ProspectingResponse, NEVER),
    body('DECISION', z.looseObject({ company_id: z.string().nullable() }), NEVER),
  ],
  enrichments: [
    body('POST /v2/enrichment/email', Employee, NEVER, true),
    body('POST /v2/enrichment/employee/pronet', Employee, NEVER, true),
    body('POST /v2/enrichment/employee/contacts', Employee, NEVER, true),
    body('POST /v2/enrichment/employee/search', EnrichEmployeeSearchResponse, NEVER, true),
  ],
  // Without `personalData: contacts`, most fields are removed before landing. So no field counts as missing here.
  executives: [
    body('GET /v1/finder/company/executives', V1CompanyExecutivesResponse, NEVER, true),
    body('POST /v1/finder/executives', V1ExecutivesResponse, NEVER, true),
    body('GET /v1/finder/executive/details', V1Executive, NEVER, true),
  ],
  employees: [body('POST /v2/employees', EmployeesResponse, NEVER, true)],
  employee_details: [body('GET /v2/employees/{id}', Employee, NEVER, true)],
  // The reference does not show these answers. So none of their fields counts as new or missing.
  ownership: [body('GET /v2/kyb/{id}/ubo', z.record(z.string(), z.unknown()), NEVER, true)],
  ownership_jobs: [body('GET /v2/kyb/{id}/ubo/enrich', z.record(z.string(), z.unknown()), NEVER, true)],
  watched_companies: [body('GET /v2/companies/watch', WatchListResponse, PAGES)],
  watch_events: [
    body('GET /v2/companies/{id}/watch/events', WatchEventsResponse, RECORDS, true),
    body('WEBHOOK /delivery', WebhookDelivery, RECORDS, true),
  ],
};

/**
 * Returns the routes from which the answers of a stream come. If the route of a request is not listed, the first one
 * applies. Empty for a stream that does not come from the API.
 */
export function routesOf(stream: string): string[] {
  return (DECLARED[stream] ?? []).map(({ route }) => route);
}

/** What the reference declares about the values at one path of a route's bodies. */
export interface DeclaredField {
  stream: string;
  route: string;
  /** `$` is the body, `[]` stands for the items of an array, and `*` for any name. */
  path: string;
  /** Path of the object or array that contains the value. Null for the body. */
  parent: string | null;
  /** Empty if the reference declares no type. */
  types: string[];
  /** Whether the content of the value is not declared. Then it is not compared. */
  open: boolean;
  enough: number;
  personal: boolean;
}

/** Lists everything that the reference declares. */
export function declaredFields(): DeclaredField[] {
  return Object.entries(DECLARED).flatMap(([stream, bodies]) =>
    bodies.flatMap(({ route, schema, enough, personal }) =>
      // Uses the public conversion to JSON Schema, and no internals of zod.
      fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '$', null).map((field) => {
        const mayMiss = OPTIONAL.test(field.path) || (stream === 'tender_details' && REMOVED_NAME.test(field.path));
        return { stream, route, enough: mayMiss ? NEVER : enough, personal, ...field };
      }),
    ),
  );
}

type JsonSchema = z.core.JSONSchema._JSONSchema;
type PathOfField = Pick<DeclaredField, 'path' | 'parent' | 'types' | 'open'>;

function fieldsOf(schema: JsonSchema, path: string, parent: string | null): PathOfField[] {
  const variants = variantsOf(schema);
  // Every value may be null.
  const types = variants.flatMap(({ type }) => type ?? []).filter((type) => type !== 'null');
  const { properties } = variants.findLast((one) => one.properties) ?? {};
  const items = variants.findLast((one) => one.items !== undefined)?.items as JsonSchema | undefined;
  const map = variants.findLast((one) => !one.properties && typeof one.additionalProperties === 'object');
  const values = map?.additionalProperties;
  const isOpen = [...variants, ...(values === undefined ? [] : variantsOf(values))].some(({ type }) => !type);
  return [
    { path, parent, types: [...new Set(types.map((type) => (type === 'integer' ? 'number' : type)))], open: isOpen },
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`, path)),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`, path)),
    ...(values === undefined || isOpen ? [] : fieldsOf(values, `${path}.*`, path)),
  ];
}

/** Returns the schemas of which a value needs to match one. */
function variantsOf(schema: JsonSchema): z.core.JSONSchema.JSONSchema[] {
  if (typeof schema === 'boolean') return [{}];
  return schema.anyOf?.flatMap(variantsOf) ?? [schema];
}
