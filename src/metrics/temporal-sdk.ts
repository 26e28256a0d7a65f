/**
 * Reads the metrics of the Temporal SDK from its own exporter, and appends them to OpenMetrics text. If the exporter
 * does not answer, returns the text unchanged.
 * @param text OpenMetrics text
 * @param exporter address of the exporter, such as `http://127.0.0.1:40123/metrics`
 */
export async function appendSdkMetrics(text: string, exporter: string): Promise<string> {
  const answer = await fetch(exporter, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  if (answer === null || !answer.ok) return text;
  return joinTexts(text, await answer.text());
}

/**
 * Joins OpenMetrics text and Prometheus text (version 0.0.4) into OpenMetrics text. In OpenMetrics, the family of a
 * counter has no suffix `_total`; its samples have one. Pure.
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
