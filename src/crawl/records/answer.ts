import { isPermanent, NotFoundError, type ApiError, type ApiResponse } from '../../api/index.js';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { NewRow } from '../../landing/index.js';

/**
 * Makes the row that the crawl lands for an answer of the API. An answer without content (204) is landed as `null`.
 * @param entityId the id, slug or question of the record; null for a page of a search or listing
 */
export function rowOf(response: ApiResponse<unknown>, entityId: string | null, rowKind: string): NewRow {
  return {
    request_key: response.requestKey,
    entity_id: entityId,
    row_kind: rowKind,
    status: response.status,
    fetched_at: response.fetchedAt,
    body: isBlank(response.bytes()) ? 'null' : response.bytes(),
  };
}

function isBlank(bytes: Uint8Array): boolean {
  return !bytes.some((byte) => byte > SPACE);
}

// The code of a space. All smaller codes are other blanks and control characters.
const SPACE = 0x20;

/**
 * Makes the row that the crawl lands for an error answer. The row keeps the status and the start of the text, so the
 * warehouse can show why the call failed. If the answer would be unusable again, the row also
 * keeps the reason.
 */
export function rowOfError(error: ApiError, entityId: string | null, rowKind: string): NewRow {
  // An error answer may have a 2xx status. Then land status 0, so that readers do not read its body as a record.
  const status = error.status >= 400 ? error.status : 0;
  const gone = error instanceof NotFoundError;
  const { message, snippet } = error;
  const said = isPermanent(error) ? `${message}\n${snippet}`.trim() : snippet || message;
  return {
    request_key: error.requestKey,
    entity_id: entityId,
    row_kind: rowKind,
    status: gone ? 404 : status,
    fetched_at: error.fetchedAt,
    body: gone ? error.body : said,
  };
}

/** Whether a landed row holds an answer with a record or a page: its status is 2xx. */
export function isRecord({ status }: Pick<LandedRow, 'status'>): boolean {
  return status >= 200 && status < 300;
}
