import { expect, it } from 'vitest';
import { joinTexts } from '../../../../src/serve/metrics/temporal-sdk.js';
import { parseOpenMetrics, valueOf } from '../../../helpers/open-metrics.js';

const OWN = `# HELP tidemark_up Whether it is up.
# TYPE tidemark_up gauge
tidemark_up 1
# EOF
`;

it('renames counter families of Prometheus text and leaves other families as they are', () => {
  const families = parseOpenMetrics(
    joinTexts(
      OWN,
      `# HELP temporal_request_total Count of requests.
# TYPE temporal_request_total counter
temporal_request_total{operation="Poll"} 3
# HELP temporal_slots_total A gauge with the suffix of a counter.
# TYPE temporal_slots_total gauge
temporal_slots_total 4

`,
    ),
  );
  expect([...families].map(([name, { type }]) => [name, type])).toEqual([
    ['tidemark_up', 'gauge'],
    ['temporal_request', 'counter'],
    ['temporal_slots_total', 'gauge'],
  ]);
  expect(valueOf(families, 'temporal_request_total')).toBe(3);
  expect(valueOf(families, 'temporal_slots_total')).toBe(4);
});
