import { z } from 'zod';

import { Id, Text } from '../v2/scalars.js';

/** One entry of a lookup list. */
export const NomenclatureEntry = z.looseObject({ id: Id, name: Text });
export type NomenclatureEntry = z.infer<typeof NomenclatureEntry>;

/** An entry of the list `countries`. `short_name` is ISO 3166 alpha-2. */
export const CountryEntry = NomenclatureEntry.extend({ short_name: Text });
export type CountryEntry = z.infer<typeof CountryEntry>;

/** An entry of the list `departments`. `parent_id` is the id of the department to which it belongs. */
export const DepartmentEntry = NomenclatureEntry.extend({ parent_id: Id.nullish() });
export type DepartmentEntry = z.infer<typeof DepartmentEntry>;

const list = z.array(NomenclatureEntry).nullish();

/** Answer of `/v1/finder/nomenclatures`. */
export const Nomenclatures = z.looseObject({
  regions: list,
  countries: z.array(CountryEntry).nullish(),
  company_status: list,
  activity_type: list,
  departments: z.array(DepartmentEntry).nullish(),
  seniority_level: list,
  ownership_types: list,
  subsidiary_status: list,
  technologies: list,
  activities: list,
});
export type Nomenclatures = z.infer<typeof Nomenclatures>;

/** Answer of `/v1/finder/tenders/nomenclatures`. */
export const TenderNomenclatures = z.looseObject({
  countries: list,
  statuses: list,
  types: list,
  industries: list,
});
export type TenderNomenclatures = z.infer<typeof TenderNomenclatures>;

/** Answer of `/v1/finder/tenders/donors`. The reference does not show the body. */
export const TenderDonors = z.unknown();
