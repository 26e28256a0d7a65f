export { Plan } from './plan.js';
export type { Send } from './requests.js';
export { toV1Filters } from './v1/filters.js';
export type {
  Calibration,
  Dimension,
  Distribution,
  KnownMarket,
  PlanAnswer,
  PlanInput,
  PlanRequest,
  Purpose,
  Remainder,
  RangeDimension,
} from './types.js';
