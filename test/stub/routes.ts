const ROUTES: [path: RegExp, route: string][] = [
  [/^\/v2\/companies\/(?!watch(\/|$))[^/]+(?=\/|$)/, '/v2/companies/{id}'],
  [/^\/v2\/financial\/(?!ticker$)[^/]+$/, '/v2/financial/{id}'],
  [/^\/v2\/employees\/[^/]+$/, '/v2/employees/{id}'],
  [/^\/v2\/know-your-payee\/[^/]+$/, '/v2/know-your-payee/{id}'],
  [/^\/v2\/kyb\/[^/]+\/ubo\/enrich\/[^/]+$/, '/v2/kyb/{id}/ubo/enrich/{job_id}'],
  [/^\/v2\/kyb\/[^/]+\/ubo/, '/v2/kyb/{id}/ubo'],
];

/** `GET /v2/companies/7` as `GET /v2/companies/{id}`. */
export function routeOf(request: string): string {
  const [method = '', path = ''] = request.split(' ', 2);
  return `${method} ${ROUTES.reduce((route, [pattern, general]) => route.replace(pattern, general), path)}`;
}
