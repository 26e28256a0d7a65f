import { escapeHtml, page } from '../connector/screens.js';
import { OPERATIONS } from './openapi.js';

interface Described {
  summary: string;
  parameters: { name: string; in: string; required: boolean; schema: { type?: string } }[];
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, unknown>; required?: string[] } }> };
  responses: Record<string, { description: string }>;
}

/** The OpenAPI description as an HTML page, section by section. */
export function docsPage(openApi: Record<string, unknown>): string {
  const paths = openApi['paths'] as Record<string, Record<string, Described>>;
  const sections = [...new Set(OPERATIONS.map(({ section }) => section))];
  const body = sections.map((section) => {
    const entries = OPERATIONS.filter((operation) => operation.section === section).map(({ method, path }) =>
      describeRoute(method, path, paths[path]![method.toLowerCase()]!),
    );
    return `<h2>${escapeHtml(section)}</h2>${entries.join('')}`;
  });
  return page('Routes of the sandbox', `<p><a href="/openapi.json">openapi.json</a></p>${body.join('')}`);
}

function describeRoute(method: string, path: string, described: Described): string {
  const [content] = Object.values(described.requestBody?.content ?? {});
  const fields = Object.keys(content?.schema.properties ?? {});
  const rows = [
    ...described.parameters.map(
      ({ name, in: where, required }) => `${where} <code>${escapeHtml(name)}</code>${required ? ' (required)' : ''}`,
    ),
    ...fields.map(
      (name) => `body <code>${escapeHtml(name)}</code>${content?.schema.required?.includes(name) ? ' (required)' : ''}`,
    ),
  ];
  const answers = Object.entries(described.responses).map(
    ([status, { description }]) => `${status} ${escapeHtml(description)}`,
  );
  return (
    `<h3><code>${method} ${escapeHtml(path)}</code></h3><p>${escapeHtml(described.summary)}</p>` +
    `${rows.length === 0 ? '' : `<ul><li>${rows.join('</li><li>')}</li></ul>`}<p class="note">${answers.join(' · ')}</p>`
  );
}
