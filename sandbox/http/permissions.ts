import { METRICS } from '../state/quota.js';

/**
 * Permissions of an API key. Most are the modules that the usage metrics name. The last two are modules that no metric
 * counts.
 */
export const PERMISSIONS = {
  ...METRICS,
  watching: 'Watching companies',
  tenders: 'Tenders',
} as const;
export type Permission = keyof typeof PERMISSIONS;
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as [Permission, ...Permission[]];

/** An API key and its permissions. */
export interface KeyGrant {
  key: string;
  permissions: readonly Permission[] | 'all';
}

/** Permission of each route. The first matching pattern decides. null: any valid API key may call the route. */
const RULES: readonly (readonly [RegExp, Permission | null])[] = [
  [/^\/v2\/metrics/, null],
  [/^\/v2\/prospecting/, 'prospecting'],
  [/^\/v2\/overview/, 'company_search'],
  [/^\/v2\/companies\/(.*\/)?watch/, 'watching'],
  [/^\/v2\/companies\//, 'company_details'],
  [/^\/v2\/employees/, 'employees'],
  [/^\/v2\/enrichment/, 'enrichment'],
  [/^\/v2\/autocomplete/, 'autocomplete'],
  [/^\/v2\/financial/, 'financials'],
  [/^\/v2\/kyb/, 'ownership'],
  [/^\/v2\/know-your-payee/, 'payee_checks'],
  [/^\/v1\/finder\/companies/, 'prospecting'],
  [/^\/v1\/finder\/company\/details/, 'company_details'],
  [/^\/v1\/finder\/company\/financial/, 'financials'],
  [/^\/v1\/finder\/(company\/executives|executive)/, 'employees'],
  [/^\/v1\/finder\/tenders/, 'tenders'],
  [/^\/v1\/finder\/nomenclatures/, null],
];

/**
 * Returns the permission that a route needs. `path` is the path as the route declares it.
 *
 * @throws Error for a route without a rule.
 */
export function permissionFor(path: string): Permission | null {
  const rule = RULES.find(([pattern]) => pattern.test(path));
  if (rule === undefined) throw new Error(`sandbox/http/permissions.ts has no rule for ${path}`);
  return rule[1];
}

/** Returns whether an API key has a permission. null means that the route needs no permission. */
export function allows({ permissions }: KeyGrant, permission: Permission | null): boolean {
  return permission === null || permissions === 'all' || permissions.includes(permission);
}

/**
 * Parses the values of the `--key` flags. `NAME=permission,permission` (or `=all`, `=none`) adds an API key. A value without
 * `=` is the API key with all permissions. If there are several such values, the last is used.
 *
 * @throws RangeError for an unknown permission
 */
export function readKeyFlags(texts: readonly string[]): { key?: string; keys: KeyGrant[] } {
  let plain: string | undefined;
  const keys: KeyGrant[] = [];
  for (const text of texts) {
    // Split at the last "=". A "=" at the end is part of the key, because base64 text may end with "=".
    const [, key, list] = /^(.+)=([^=]+)$/.exec(text) ?? [];
    if (key === undefined || list === undefined) plain = text;
    else keys.push({ key, permissions: readList(list) });
  }
  return { ...(plain !== undefined && { key: plain }), keys };
}

function readList(text: string): KeyGrant['permissions'] {
  if (text === 'all') return 'all';
  const names = text === 'none' ? [] : text.split(',');
  return names.map((name) => {
    if (!Object.hasOwn(PERMISSIONS, name)) {
      throw new RangeError(`"${name}" is not a permission. Use all, none or any of: ${PERMISSION_NAMES.join(', ')}`);
    }
    return name as Permission;
  });
}
