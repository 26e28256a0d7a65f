/** A metric family of OpenMetrics text. */
export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

const SUFFIXES: Record<string, readonly string[]> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  summary: ['', '_count', '_sum', '_created'],
  info: ['_info'],
};

/**
 * Parses OpenMetrics text strictly: each family once, with type and help before its samples; each sample once, with a
 * suffix that its type allows; `# EOF` at the end.
 * @throws Error with the wrong line
 */
export function parseOpenMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n# EOF\n')) throw new Error(`does not end with # EOF: ${text.slice(-80)}`);
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    const meta = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (meta) {
      const [, kind, name = '', rest = ''] = meta;
      if (!NAME.test(name)) fail('wrong name');
      if (name !== current && families.has(name)) fail('a family must not come twice');
      current = name;
      const family = families.get(name) ?? { type: '', help: '', samples: [] };
      if (family.samples.length > 0) fail('must come before the samples');
      families.set(name, { ...family, ...(kind === 'TYPE' ? { type: rest } : { help: rest }) });
      continue;
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? fail('is no sample');
    const family = families.get(current) ?? fail('has no family');
    const allowed = SUFFIXES[family.type] ?? fail(`type ${family.type} is unknown`);
    if (!allowed.some((suffix) => name === `${current}${suffix}`)) fail(`does not belong to ${family.type} ${current}`);
    const read = parseLabels(labels) ?? fail('has wrong labels');
    // In OpenMetrics, NaN and Inf may have letters of any case.
    const number = /^\+?inf$/i.test(value) ? Infinity : Number(value);
    if (!/^nan$/i.test(value) && Number.isNaN(number)) fail('is no number');
    const key = JSON.stringify([name, Object.entries(read).map(String).toSorted()]);
    if (seen.has(key)) fail('comes twice');
    seen.add(key);
    family.samples.push({ name, labels: read, value: number });
  }
  return families;
}

function parseLabels(text: string): Record<string, string> | null {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let end = 0;
  for (let found = LABEL.exec(text); found !== null && found[0] !== ''; found = LABEL.exec(text)) {
    const [, name = '', value = ''] = found;
    if (name in labels) return null;
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    end = LABEL.lastIndex;
    if (end === text.length) break;
  }
  return end === text.length ? labels : null;
}

/** The sum of a metric's samples that have these labels; undefined without such a sample. */
export function valueOf(
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => (sample.labels[label] ?? '') === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** Scrapes metrics over HTTP as Prometheus does. */
export async function scrape(url: string): Promise<Map<string, Family>> {
  const response = await fetch(url, { headers: { accept: 'application/openmetrics-text;version=1.0.0' } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  if (!response.headers.get('content-type')?.startsWith('application/openmetrics-text'))
    throw new Error(`${url}: content type ${response.headers.get('content-type')}`);
  return parseOpenMetrics(text);
}
