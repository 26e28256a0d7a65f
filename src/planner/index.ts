export { createPlan, type Plan, type PlanStats } from './plan.js';
export { toV1Filters } from './v1/filters.js';
export type {
  Calibration,
  CategoricalDimension,
  DateFormat,
  Dimension,
  DimensionCalibration,
  Distribution,
  KnownMarket,
  ListingAnswer,
  PageAnswer,
  PlanAnswer,
  PlanInput,
  PlanRequest,
  Purpose,
  Remainder,
  Route,
  RangeDimension,
  RefusedAnswer,
} from './types.js';
