import type { ReportFacts } from '../pipeline/report.js';
import type { MarketsAnswer, OperationsAnswer } from './api.js';

/** What the page of `tidemark report` shows. */
export interface ReportInput {
  facts: ReportFacts;
  markets: MarketsAnswer;
  operations: OperationsAnswer;
}

/** The rendered page, without its frame. */
export interface RenderedReport {
  title: string;
  /** HTML of the body. All texts are escaped. */
  body: string;
  /** The only style sheet. */
  style: string;
}
