import { createHash } from 'node:crypto';
import type { RenderedReport } from '../../../schemas/explorer/report.js';

/**
 * Puts the rendered report into a complete page. The page has no script and loads nothing, and its content security
 * policy enforces this.
 */
export function reportPage({ title, body, style }: RenderedReport, version: string): string {
  // The policy names the hash of this style sheet and so allows no other.
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Tidemark ${version}">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
