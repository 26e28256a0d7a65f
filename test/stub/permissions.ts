/** Permissions of a key. */
export type Permission = 'prospecting' | 'company_details' | 'financials' | 'tenders' | 'watching';

/** The permission that a path needs, first match; metrics and nomenclatures need none. */
const RULES: [path: RegExp, permission: Permission][] = [
  [/^\/v2\/prospecting|^\/v1\/finder\/companies/, 'prospecting'],
  [/^\/v2\/kyb/, 'company_details'],
  [/^\/v2\/financial|^\/v1\/finder\/company\/financial/, 'financials'],
  [/^\/v2\/companies\/(.*\/)?watch/, 'watching'],
  [/^\/v2\/companies\//, 'company_details'],
  [/^\/v1\/finder\/tenders/, 'tenders'],
];

export function permissionFor(path: string): Permission | null {
  return RULES.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** The field `access` of an error that names a permission. */
export const ACCESS_OF = {
  prospecting: access('Browse companies', 'browse', 'Prospecting'),
  company_details: access('Read company records', 'records', 'Company records'),
  financials: access('Read financial statements', 'financial', 'Financial statements'),
  tenders: access('Read public tenders', 'tenders', 'Public tenders'),
  watching: access('Monitor companies', 'monitor', 'Monitoring'),
} satisfies Record<Permission, object>;

function access(name: string, module: string, moduleName: string) {
  return {
    app_name: 'Company data',
    app: 'company-data',
    module_name: moduleName,
    module,
    permission_name: name,
    permission: `${module}.read`,
  };
}
