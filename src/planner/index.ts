export { createPlan, type Plan, type PlanStats } from './plan.js';
export type {
  CategoricalDimension,
  Dimension,
  PageAnswer,
  PlanAnswer,
  PlanInput,
  PlanRequest,
  Purpose,
  RangeDimension,
  RefusedAnswer,
} from './types.js';
