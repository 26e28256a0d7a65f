import type { ApiError } from '../../../schemas/explorer/api.js';
import { fileName } from './file-name.js';

/** An error of the explorer's API, with the remedy. */
export class RequestError extends Error {
  readonly todo: string;
  readonly status: number;

  constructor(message: string, todo: string, status: number) {
    super(message);
    this.todo = todo;
    this.status = status;
  }
}

export const BUILD_SEEN = 'tidemark-build-seen';

/** Sends a request. Returns the parsed answer; undefined if it has no body. */
export async function request<T>(
  path: string,
  options: { method?: string; body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  const response = await send(path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Exports all rows of a query, and offers the file to the user. `parts` say what the file holds. */
export async function saveExport(
  parts: readonly string[],
  query: { id: string; sql: string; format: 'csv' | 'parquet' | 'arrow'; seconds: number },
): Promise<void> {
  const response = await send('/api/v1/export', { method: 'POST', body: query });
  const night = response.headers.get('x-tidemark-night') ?? '';
  download(fileName(parts, night, query.format), await response.blob());
}

async function send(
  path: string,
  { method = 'GET', body, signal }: { method?: string; body?: unknown; signal?: AbortSignal },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestError('The explorer does not answer.', 'Start `tidemark ui` again, then reload this page.', 0);
  }
  const build = response.headers.get('x-tidemark-build');
  if (build !== null) window.dispatchEvent(new CustomEvent(BUILD_SEEN, { detail: build }));
  if (response.ok) return response;
  const known = (await response.json().catch(() => undefined)) as ApiError | undefined;
  const { message = `The explorer answered ${response.status}.`, todo = 'Reload the page.' } = known?.error ?? {};
  throw new RequestError(message, todo, response.status);
}

function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
