type Filters = Record<string, unknown>;

/**
 * Translates the filters of version 2's prospecting to version 1's company search (reference v2, "Prospecting"; v1,
 * "Company filters"). Translates only keys whose values mean the same in both versions.
 * @returns null if a key has no counterpart in version 1, because version 1 would then search for other companies
 */
export function toV1Filters(filters: Filters): Filters | null {
  const translated: Filters = {};
  for (const [key, value] of Object.entries(filters)) {
    const entry = TRANSLATIONS[key]?.(value);
    if (entry === undefined) return null;
    translated[entry[0]] = entry[1];
  }
  return translated;
}

type Translation = (value: unknown) => [key: string, value: unknown] | undefined;

const TRANSLATIONS: Record<string, Translation> = {
  company_status: list('status'),
  activity_type: list('activity_type'),
  legal_form: list('ownership_type'),
  company_type: list('subsidiary_status'),
  location_zip: list('zip'),
  number_of_employees: range('size'),
  location_countries: included('country'),
  location_regions: included('regions'),
};

function list(key: string): Translation {
  return (value) => (Array.isArray(value) ? [key, value] : undefined);
}

function range(key: string): Translation {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const { gte, lte, ...rest } = value as Filters;
    if (Object.keys(rest).length > 0) return undefined;
    return [key, { ...(gte === undefined ? {} : { from: gte }), ...(lte === undefined ? {} : { to: lte }) }];
  };
}

/**
 * Translates `{include: [1, 2]}`. Returns undefined unless all ids are whole numbers, because a combined id such as
 * `2_1463` has no counterpart in version 1.
 */
function included(key: string): Translation {
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const { include, ...rest } = value as { include?: unknown } & Filters;
    const ids = Array.isArray(include) ? include.map(Number) : [];
    if (Object.keys(rest).length > 0 || ids.length === 0 || !ids.every(Number.isInteger)) return undefined;
    return [key, ids];
  };
}
