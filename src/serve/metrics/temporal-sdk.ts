import { once } from 'node:events';
import http from 'node:http';

/**
 * Reads the metrics of the Temporal SDK from its own exporter, and appends them to OpenMetrics text. If the exporter
 * does not answer, returns the text unchanged.
 * @param text OpenMetrics text
 * @param exporter address of the exporter, such as `http://127.0.0.1:40123/metrics`
 */
export async function appendSdkMetrics(text: string, exporter: string): Promise<string> {
  try {
    return joinTexts(text, await get(exporter));
  } catch {
    return text;
  }
}

/** Requests an address. Uses `node:http`, because `fetch` would take some megabytes of memory. */
async function get(url: string): Promise<string> {
  const request = http.get(url, { signal: AbortSignal.timeout(2_000), agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) text += piece as string;
  return text;
}

/**
 * Joins OpenMetrics text and Prometheus text (version 0.0.4) into OpenMetrics text. In OpenMetrics, the family of a
 * counter has no suffix `_total`; its samples have one. Pure function.
 */
export function joinTexts(openMetrics: string, prometheus: string): string {
  const counters = new Set([...prometheus.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, name]) => name));
  const lines = prometheus.split('\n').flatMap((line) => {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === undefined) return line === '' || line.startsWith('#') ? [] : [line];
    const family = name.replace(/_total$/, '');
    return [`# ${kind} ${counters.has(family) && name.endsWith('_total') ? family : name} ${rest}`];
  });
  return `${openMetrics.replace(/# EOF\n$/, '')}${lines.map((line) => `${line}\n`).join('')}# EOF\n`;
}
