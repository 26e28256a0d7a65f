import { z } from 'zod';

import { DocumentedCount, employeesEnvelope, usable } from './envelope.js';
import { MAX_PAGE } from './prospecting.js';
import { Count, Id, PerPage, ProfileUrl, Text, Texts } from './scalars.js';

/** Filters of `POST /v2/employees` (section "Employees"). */
export const EmployeeFilters = z.strictObject({
  full_name: z.string().optional(),
  /** Conditions on contact data, from the lookup lists. */
  advance: z.array(z.string()).optional(),
  seniority: z.array(z.int()).optional(),
  department: z.array(z.int()).optional(),
  job_title: z.array(z.string()).optional(),
  company_id: z.int().optional(),
  pronet: ProfileUrl.optional(),
});
export type EmployeeFilters = z.infer<typeof EmployeeFilters>;

/** Body of `POST /v2/employees`. `filters` is required. */
export const EmployeesRequest = z.strictObject({
  page: z.int().min(1).max(MAX_PAGE).optional(),
  per_page: PerPage.optional(),
  filters: EmployeeFilters,
});
export type EmployeesRequest = z.infer<typeof EmployeesRequest>;

/** One person of an employee search. */
export const EmployeeItem = z.looseObject({
  id: Id,
  name: Text,
  company_id: Id.nullish(),
  company_name: Text,
});
export type EmployeeItem = z.infer<typeof EmployeeItem>;

/** The documented answer of `POST /v2/employees`. */
export const EmployeesResponse = employeesEnvelope(DocumentedCount, EmployeeItem);
export type EmployeesResponse = z.infer<typeof EmployeesResponse>;

/** A page as the client returns it. An item without an id becomes null. */
export const EmployeesPage = employeesEnvelope(Count, usable(EmployeeItem));
export type EmployeesPage = z.infer<typeof EmployeesPage>;

/** Employee record of `GET /v2/employees/{id}`. Enrichment by e-mail, profile or contact data returns it, too. */
export const Employee = z.looseObject({
  id: Id,
  full_name: Text,
  first_name: Text,
  last_name: Text,
  patronime_name: Text,
  /** A single letter. */
  gender: Text,
  seniority_level: Texts,
  /** Exists only in enrichment by profile and by contact data. The reference does not state the type of the items. */
  department: z.array(z.unknown()).nullish(),
  function_original_name: Text,
  phone: Text,
  email: Text,
  nationality: Text,
  /** Exists only in enrichment answers. */
  company_id: Id.nullish(),
  company_name: Text,
  microblog: Text,
  pronet: Text,
  socialnet: Text,
});
export type Employee = z.infer<typeof Employee>;
