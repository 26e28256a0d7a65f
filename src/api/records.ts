/* The types of the API's records, as the client returns them. */
export type { V1Company, V1CompanyFilters, V1CompanySummary } from '../../schemas/v1/company.js';
export type { V1Executive, V1ExecutiveFilters, V1ExecutiveItem } from '../../schemas/v1/executive.js';
export type { V1FinancialReport, V1Indicator, V1Report } from '../../schemas/v1/financial-report.js';
export type {
  CountryEntry,
  DepartmentEntry,
  NomenclatureEntry,
  Nomenclatures,
  TenderNomenclatures,
} from '../../schemas/v1/nomenclature.js';
export type { TenderContact, TenderDetails, TenderFilters, TenderSummary } from '../../schemas/v1/tender.js';
export type { Company, CompanyCode } from '../../schemas/v2/company.js';
export type { Employee, EmployeeFilters, EmployeeItem } from '../../schemas/v2/employee.js';
export type { EnrichedEmployeeItem } from '../../schemas/v2/enrichment.js';
export type { FinancialReport, FinancialYear, IndicatorValue } from '../../schemas/v2/financial-report.js';
export type { Indicator } from '../../schemas/v2/indicators.js';
export type { OverviewItem, OverviewRequest } from '../../schemas/v2/overview.js';
export type { OwnershipParameters } from '../../schemas/v2/ownership.js';
export type { PayeeDecision, PayeeRequest } from '../../schemas/v2/payee.js';
export type { ProspectingFilters, ProspectingItem } from '../../schemas/v2/prospecting.js';
export type { Misfit } from '../../schemas/v2/read-leniently.js';
export type { Id } from '../../schemas/v2/scalars.js';
export type { WatchCallback, WatchedCompany, WatchEvent, WebhookDelivery } from '../../schemas/v2/watch.js';
export type { WatchField } from '../../schemas/v2/watch-fields.js';
