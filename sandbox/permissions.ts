import { METRICS } from './quota.js';

/** What a key may be allowed: the modules that usage metrics name, and two that no metric counts. */
export const PERMISSIONS = {
  ...METRICS,
  watching: 'Watching companies',
  tenders: 'Tenders',
} as const;
export type Permission = keyof typeof PERMISSIONS;
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as [Permission, ...Permission[]];

/** A key and what it may do. */
export interface KeyGrant {
  key: string;
  permissions: readonly Permission[] | 'all';
}

/** Which permission a route asks for, the first that fits; null: a good key is enough. */
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

/** Permission that a route (its path as it was declared) asks for. Throws for a route that no rule knows. */
export function permissionFor(path: string): Permission | null {
  const rule = RULES.find(([pattern]) => pattern.test(path));
  if (rule === undefined) throw new Error(`sandbox/permissions.ts says nothing about ${path}`);
  return rule[1];
}

/** Whether a key may do what asks for a permission. */
export function allows({ permissions }: KeyGrant, permission: Permission | null): boolean {
  return permission === null || permissions === 'all' || permissions.includes(permission);
}

/**
 * Keys as flags write them: `NAME=permission,permission` (or `=all`, `=none`) adds a key; without `=`, it is the key that
 * may do everything, the last one if several. Throws a RangeError for a permission that does not exist.
 */
export function readKeyFlags(texts: readonly string[]): { key?: string; keys: KeyGrant[] } {
  let plain: string | undefined;
  const keys: KeyGrant[] = [];
  for (const text of texts) {
    // The last "=" counts, and one at the end belongs to the key: base64 pads with it.
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
      throw new RangeError(`"${name}" is no permission; there are all, none, ${PERMISSION_NAMES.join(', ')}`);
    }
    return name as Permission;
  });
}
