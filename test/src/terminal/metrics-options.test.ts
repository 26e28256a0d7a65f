import { expect, it } from 'vitest';
import { metricsAddress } from '../../../src/terminal/metrics-options.js';

it('serves no metrics unless a port is set', () => {
  expect(metricsAddress({}, {}, 'port')).toBeNull();
  expect(metricsAddress({ metrics: { host: '127.0.0.1', receiverPort: 9465 } }, {}, 'port')).toBeNull();
  expect(metricsAddress({}, { metricsHost: '0.0.0.0' }, 'port')).toBeNull();
});

it('takes port and host from the options first, then from the configuration', () => {
  const configured = { metrics: { host: '10.0.0.1', port: 9464, receiverPort: 9465 } };
  expect(metricsAddress(configured, {}, 'receiverPort')).toEqual({ host: '10.0.0.1', port: 9465 });
  expect(metricsAddress(configured, { metricsPort: 0, metricsHost: '::1' }, 'port')).toEqual({ host: '::1', port: 0 });
  expect(metricsAddress({}, { metricsPort: 9464 }, 'port')).toEqual({ host: '127.0.0.1', port: 9464 });
});
