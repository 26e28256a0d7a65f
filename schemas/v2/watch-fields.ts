/**
 * Watch fields (section "Watch fields (event types)"): the fields that can be watched. They are also the values of
 * `event_type`.
 */
export const WATCH_FIELDS = [
  'company.name',
  'company.status',
  'company.registration_number',
  'company.vat',
  'company.address_street',
  'company.email',
  'company.phone',
  'company.fax',
  'company.website',
  'company.bank',
  'company.employees_number',
  'company.trading_activity_export',
  'company.trading_activity_import',
  'company.group_structure',
  'company.financial',
  'office.identity',
  'office.email',
  'office.fax',
  'office.phone',
  'office.website',
  'address.street',
  'shareholder.holding',
  'shareholder.holding_historical',
  'shareholder.exit_precise',
  'shareholder.exit_approximate',
  'shareholder.share_type',
  'shareholder.share_price',
  'employee.appointment',
  'employee.phone',
  'employee.email',
  'employee.resignation_date',
  'officer.appointment',
  'officer.phone',
  'officer.email',
  'officer.resignation_date',
] as const;
export type WatchField = (typeof WATCH_FIELDS)[number];

/** Earlier names of watch fields. The last two names occur only in the reference's examples of field lists. */
export const LEGACY_WATCH_FIELDS = [
  'company_fax',
  'company_address_street',
  'company_website',
  'company_phone',
  'company_email',
  'company_name',
  'company_vat',
  'company_employees_number',
  'company_status',
  'financial',
  'shareholder_meta',
  'officer_meta',
  'officer_phone',
  'officer_email',
  'officer_resignation_date',
  'employee_meta',
  'employee_phone',
  'employee_email',
  'employee_resignation_date',
  'vat_number',
  'shareholder_name',
] as const;
export type LegacyWatchField = (typeof LEGACY_WATCH_FIELDS)[number];

/**
 * The current name for each earlier name. The `_meta` names and `shareholder_name` have no entry: the reference does
 * not say which field they mean.
 */
export const CURRENT_WATCH_FIELD: Readonly<Partial<Record<LegacyWatchField, WatchField>>> = {
  company_fax: 'company.fax',
  company_address_street: 'company.address_street',
  company_website: 'company.website',
  company_phone: 'company.phone',
  company_email: 'company.email',
  company_name: 'company.name',
  company_vat: 'company.vat',
  company_employees_number: 'company.employees_number',
  company_status: 'company.status',
  financial: 'company.financial',
  officer_phone: 'officer.phone',
  officer_email: 'officer.email',
  officer_resignation_date: 'officer.resignation_date',
  employee_phone: 'employee.phone',
  employee_email: 'employee.email',
  employee_resignation_date: 'employee.resignation_date',
  vat_number: 'company.vat',
};
