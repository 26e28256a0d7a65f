import type { FastifyInstance } from 'fastify';
import { COUNTRIES } from '../../world/data/country-ids.js';
import {
  ACTIVITIES,
  ACTIVITY_TYPE,
  COMPANY_STATUS,
  DEPARTMENTS,
  OWNERSHIP_TYPES,
  REGIONS,
  SENIORITY_LEVEL,
  SUBSIDIARY_STATUS,
} from '../../world/data/nomenclatures.js';
import { TECHNOLOGIES } from '../../world/data/technologies.js';

const NOMENCLATURES = {
  regions: REGIONS,
  countries: COUNTRIES,
  company_status: COMPANY_STATUS,
  activity_type: ACTIVITY_TYPE,
  departments: DEPARTMENTS,
  seniority_level: SENIORITY_LEVEL,
  ownership_types: OWNERSHIP_TYPES,
  subsidiary_status: SUBSIDIARY_STATUS,
  technologies: TECHNOLOGIES,
  activities: ACTIVITIES,
};

/**
 * Routes for lookup lists. The reference says POST in the route line and GET in the sample call, so both methods work.
 */
export function nomenclatureRoutes(app: FastifyInstance): void {
  app.route({ method: ['GET', 'POST'], url: '/nomenclatures', handler: () => NOMENCLATURES });
}
