import { predictNight, type CostModels, type CostName } from './cost-models.js';
import type { CapacitySettings } from './settings.js';
import { DAY_SECONDS } from '../../src/base/time/time.js';

const MONTH_DAYS = 30;
const MONTH_H = 730;

/** What a market of one size needs. Sizes in MiB, times in seconds, money in the currency of the settings. */
export type MarketPlan = ReturnType<typeof planMarket>;

/** Computes what a market needs: its first night, the nights after it, and the costs of a month. */
export function planMarket(models: CostModels, settings: CapacitySettings, companies: number) {
  const { market, api, landingInBucket: bucket, machine } = settings;
  const first = (name: CostName): number => predictNight(models, name, companies);
  const requests = first('requests');
  const callsPerSecond = requests / (api.firstNightDays * DAY_SECONDS);
  // The main thread of a worker is busy for this long with each answer. The waits for the API overlap.
  const busySeconds = first('mainCpu') / requests;
  const workerCallsPerSecond = Math.min(1 / busySeconds, api.inFlight / api.answerSeconds);
  const later = laterNight(companies, market);
  // A night of many records costs as much for each of them as the first night does.
  const share = later.records / (2 * companies);
  const laterCpu = first('laterWarehouseCpu') + first('warehouseCpu') * share;
  // The first night has as many events for each record. Searches add few.
  const laterEvents = first('laterEvents') + first('events') * share;
  const landed = (records: number): number => Math.ceil(records / bucket.recordsPerChunk) * bucket.requestsPerChunk;
  return {
    companies,
    requests,
    answersMiB: first('answersMiB'),
    callsPerDay: requests / api.firstNightDays,
    callsPerSecond,
    workerCallsPerSecond,
    workers: Math.ceil(callsPerSecond / workerCallsPerSecond),
    crawlCpu: first('crawlCpu'),
    events: first('events'),
    temporalMiB: first('temporalMiB'),
    landingMiB: first('landingMiB'),
    warehouseMiB: first('warehouseMiB'),
    publishedMiB: first('publishedMiB'),
    warehouseCpu: first('warehouseCpu'),
    warehouseSeconds: first('warehouseCpu') / machine.processors,
    modelsPeakMiB: first('modelsPeakMiB'),
    publishPeakMiB: first('publishPeakMiB'),
    copyWrites: first('copyWrites'),
    copyReads: first('copyReads'),
    copyMiB: first('copyMiB'),
    landedWrites: landed(requests),
    later: {
      requests: later.requests,
      workers: Math.ceil(later.requests / DAY_SECONDS / workerCallsPerSecond),
      events: laterEvents,
      temporalMiB: models.temporalMiB.each.events * laterEvents,
      landingMiB: first('landingMiB') * share,
      warehouseCpu: laterCpu,
      warehouseSeconds: laterCpu / machine.processors,
      copyWrites: first('laterCopyWrites'),
      copyReads: first('laterCopyReads'),
      copyMiB: first('laterCopyMiB'),
      landedWrites: landed(later.requests),
    },
  };
}

/** Requests of a night after the first one, when each record is as old as its refresh allows, and no quota ends it. */
export function laterNight(
  companies: number,
  { perPage, refreshDays, enteredShare }: Pick<CapacitySettings['market'], 'perPage' | 'refreshDays' | 'enteredShare'>,
): { requests: number; records: number } {
  const due = (days: number): number => companies * Math.min(1, 1 / days + enteredShare);
  const records = due(refreshDays.companies) + due(refreshDays.financials);
  return { records, requests: Math.ceil(companies / perPage) + records };
}

/** Costs of the first night, and of each month after it, by component. */
export function priceMarket(plan: MarketPlan, { machine, prices, api, copyKeptDays }: CapacitySettings) {
  const gib = (mib: number): number => mib / 1_024;
  const hours = (seconds: number): number => seconds / 3_600;
  // A worker needs a processor and 1 GiB, for as long as it crawls.
  const workerHour = prices.processorHour + prices.memoryGiBHour;
  const memoryHour = gib(Math.max(plan.modelsPeakMiB, plan.publishPeakMiB)) * prices.memoryGiBHour;
  const warehouse = (cpu: number): number =>
    hours(cpu) * prices.processorHour + hours(cpu / machine.processors) * memoryHour;
  const requests = (writes: number, reads: number): number =>
    (writes * prices.thousandBucketWrites + reads * prices.thousandBucketReads) / 1_000;
  const { later } = plan;
  const stored = plan.landingMiB + plan.copyMiB + later.copyMiB * copyKeptDays;
  return {
    calls: {
      first: (plan.requests * prices.thousandCalls) / 1_000,
      month: (later.requests * MONTH_DAYS * prices.thousandCalls) / 1_000,
    },
    workers: {
      first: plan.workers * api.firstNightDays * 24 * workerHour,
      month: later.workers * MONTH_H * workerHour,
    },
    warehouse: { first: warehouse(plan.warehouseCpu), month: warehouse(later.warehouseCpu) * MONTH_DAYS },
    disk: {
      first: 0,
      month: gib(plan.landingMiB + plan.warehouseMiB + 2 * plan.publishedMiB + plan.temporalMiB) * prices.diskGiBMonth,
    },
    bucketRequests: {
      first: requests(plan.copyWrites + plan.landedWrites, plan.copyReads),
      month: requests(later.copyWrites + later.landedWrites, later.copyReads) * MONTH_DAYS,
    },
    bucketStorage: { first: 0, month: gib(stored) * prices.bucketGiBMonth },
  };
}

/** The largest number of companies for which a growing figure stays at or below a limit. 0 if none does. */
export function largestMarket(figure: (companies: number) => number, limit: number): number {
  if (figure(1) > limit) return 0;
  let [low, high] = [1, 2];
  while (figure(high) <= limit && high < Number.MAX_SAFE_INTEGER / 2) [low, high] = [high, high * 2];
  while (high - low > low / 1_000) {
    const middle = (low + high) / 2;
    if (figure(middle) <= limit) low = middle;
    else high = middle;
  }
  return Math.floor(low);
}
