// This file names functions in forms that the code avoids.
/* oxlint-disable typescript/unbound-method */
import type { ApiClient } from '../../src/api/index.js';

/*
 * Ways to name a function of the client. `routes.test.ts` checks that `findCalledRoutes` finds them. The name
 * payeeReport in this comment calls nothing.
 */

/** A function of another object with a name of the client. */
const other = { ubo: (): string => 'ubo' };

export function namesFunctions(client: ApiClient): unknown[] {
  const { overview, contactMetrics: renamed } = client.v2;
  const { oauth } = client.connector;
  const { executive: passedOn } = client.v1;
  return [
    overview,
    renamed,
    passedOn,
    oauth.deny('s'),
    client.v2.watch['fields'](1),
    other.ubo(),
    { employees: 1 },
    'client.v2.prospecting()',
  ];
}
