import {
  ConnectorCompany,
  ConnectorFinancials,
  ConnectorProspectingPage,
  NomenclatureResponse,
  VerifyTokenResponse,
  type ConnectorAutocompleteRequest,
  type ConnectorProspectingRequest,
} from '../../../schemas/connector/company-data.js';
import { HealthResponse } from '../../../schemas/connector/utility.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import { type RequestParts } from '../request.js';
import { assumed, opaque, screen } from '../route.js';
import { createSignInEndpoints } from './endpoints-connector-sign-in.js';

const company = (endpoint: string) => assumed(endpoint, ConnectorCompany);

/**
 * Creates the calls of the connector application at `{connectorUrl}` (reference v1, section "Connector application").
 * The body of `/api` calls contains the API key, so `caller` must not send an `Authorization` header. The reference
 * documents no answers. So the client expects the shapes of the corresponding version 2 calls. `data.fits` says whether
 * an answer had the expected shape.
 *
 * The calls throw ValidationError when the connector rejects the request's shape (status 422), and
 * TokenVerificationError for a wrong API key, if the connector reports it as version 2 does.
 * @param apiKey returns the API key that is in use
 */
export function createConnectorEndpoints(caller: Caller, apiKey: () => string) {
  const { endpoint } = caller;
  const withKey = (body: object): RequestParts => ({ body, secrets: { api_key: apiKey() } });
  const ofCompany = (companyId: Id): RequestParts => withKey({ company_id: String(companyId) });
  return {
    /** Returns the landing page. */
    landing: endpoint(screen('GET /')),
    /** Returns whether the connector is up. */
    health: endpoint(assumed('GET /health', HealthResponse)),
    /** Returns the page on which people try the connector's operations. */
    playground: endpoint(screen('GET /playground')),
    /** Returns the domain challenge: a text that proves who operates this address. */
    challenge: endpoint(screen('GET /.well-known/assistant-apps-challenge')),
    /**
     * Checks the client's API key. For a wrong API key, either the answer says so, or the call throws
     * TokenVerificationError.
     */
    verifyToken: endpoint(assumed('POST /api/verify-token', VerifyTokenResponse), () => withKey({})),
    /**
     * Finds a company by website. The reference does not show the answer when no company matches. Expect NotFoundError
     * or a record whose values are null.
     */
    companyByUrl: endpoint(company('POST /api/company-by-url'), (url: string) => withKey({ url })),
    /** Finds a company by profile address. */
    companyByPronet: endpoint(company('POST /api/company-by-pronet'), (pronetUrl: string) =>
      withKey({ pronet_url: pronetUrl }),
    ),
    /**
     * Returns the financial values of one fiscal year. In the answer, each value is listed under its year. `Currency`
     * gives the currency of each year.
     */
    companyFinancials: endpoint(
      assumed('POST /api/company-financials', ConnectorFinancials),
      (companyId: Id, year: number) => withKey({ company_id: String(companyId), year }),
    ),
    /** Finds a company from partial data. A query with only a country may fail with AutocompleteFieldError. */
    autocomplete: endpoint(company('POST /api/autocomplete'), (query: Omit<ConnectorAutocompleteRequest, 'api_key'>) =>
      withKey(query),
    ),
    /** Returns a lookup list by name, or the list's entries below `parent`. The reference does not name the lists. */
    nomenclature: endpoint(
      assumed('POST /api/nomenclature', NomenclatureResponse),
      (type: string, parent?: string | null) => withKey({ nomenclature_type: type, parent }),
    ),
    /** Returns one page of a company search. Defaults: page 1 with 10 rows. Sends the filters unchanged. */
    prospecting: endpoint(
      assumed('POST /api/prospecting', ConnectorProspectingPage),
      (query?: Omit<ConnectorProspectingRequest, 'api_key'>) => withKey(query ?? {}),
    ),
    /** Returns a company record. Throws NotFoundError when the company is gone. */
    companyDetails: endpoint(company('POST /api/company-details'), ofCompany),
    /** Returns the owners of a company as JSON. The shape is not checked. */
    companyOwnership: endpoint(opaque('POST /api/company-ownership'), ofCompany),
    oauth: createSignInEndpoints(caller, apiKey),
  };
}

export interface ConnectorEndpoints extends ReturnType<typeof createConnectorEndpoints> {}
