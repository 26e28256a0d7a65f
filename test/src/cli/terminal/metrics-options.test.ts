import { expect, it } from 'vitest';
import { metricsAddress } from '../../../../src/cli/terminal/metrics-options.js';

it('serves metrics only at a port, and on the configured address', () => {
  const configured = { metrics: { host: '10.0.0.1', port: 9464 } };
  expect(metricsAddress(configured, undefined)).toBeNull();
  expect(metricsAddress(configured, 0)).toEqual({ host: '10.0.0.1', port: 0 });
  expect(metricsAddress({}, 9464)).toEqual({ host: '127.0.0.1', port: 9464 });
});
