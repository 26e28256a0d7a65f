import type { QuotaRecord } from '../../../schemas/pipeline/landing.js';
import { MOST_METRICS, quotaRead, type QuotaReading } from '../../base/observed.js';
import { pullManifests, pullParts, readPartRows, recentParts, type LandedPart } from '../../landing/index.js';
import { newGauge, type MetricsRegistry } from './registry.js';
import type { Data } from '../../store/data.js';

/**
 * Adds the metrics of the API's quota. They show the latest reading. After a start, this is the latest reading in the
 * landing zone.
 * @param key where the API key comes from, such as `environment`; never the key itself
 */
export function addQuotaMetrics(registry: MetricsRegistry, dataDir: string, key: string): void {
  const labels = ['key', 'metric'] as const;
  const used = newGauge(
    registry,
    'tidemark_quota_used',
    'How much of a usage metric of the API was used, at the last reading. Label key: where the API key comes from.',
    labels,
  );
  const limit = newGauge(
    registry,
    'tidemark_quota_limit',
    'Limit of a usage metric of the API; missing if the API gives no figure.',
    labels,
  );
  const left = newGauge(
    registry,
    'tidemark_quota_left',
    'How much of a usage metric of the API is left, at the last reading; missing if the API gives no figure.',
    labels,
  );
  const readAt = newGauge(
    registry,
    'tidemark_quota_read_timestamp_seconds',
    'When a usage metric of the API was last read, as Unix time.',
    labels,
  );
  // An API whose metrics have other names at each reading must not fill the memory of Prometheus.
  const shown = new Set<string>();
  const show = (reading: QuotaReading): void => {
    const which = { key, metric: reading.metric };
    shown.delete(reading.metric);
    shown.add(reading.metric);
    const [oldest = ''] = shown;
    if (shown.size > MOST_METRICS) {
      shown.delete(oldest);
      for (const gauge of [used, limit, left, readAt]) gauge.remove({ key, metric: oldest });
    }
    used.set(which, reading.used);
    readAt.set(which, Date.parse(reading.readAt) / 1_000);
    if (reading.total <= 0) {
      limit.remove(which);
      left.remove(which);
      return;
    }
    limit.set(which, reading.total);
    left.set(which, Math.max(0, reading.total - reading.used));
  };
  for (const reading of landedReadings(dataDir)) show(reading);
  quotaRead.listen(show);
}

/**
 * With the data in a bucket, takes the latest readings, so that `addQuotaMetrics` finds them. Without them, the metrics
 * are missing until the next reading.
 */
export async function takeLandedReadings(data: Data): Promise<void> {
  const { dataDir } = data;
  try {
    await pullManifests(data, { streams: ['quota'] });
    const newest = newestPart(dataDir);
    if (newest !== undefined) await pullParts(data, [newest]);
  } catch {
    // The bucket cannot be reached, or lacks the part. Other steps report it.
  }
}

function newestPart(dataDir: string): LandedPart | undefined {
  let newest: LandedPart | undefined;
  for (const part of recentParts(dataDir, 'quota')) {
    // The latest date comes first; older dates have older readings.
    if (newest !== undefined && part.date !== newest.date) break;
    if ((part.lastFetchedAt ?? '') > (newest?.lastFetchedAt ?? '')) newest = part;
  }
  return newest;
}

/** The latest readings in the landing zone; none if they cannot be read. */
function landedReadings(dataDir: string): QuotaReading[] {
  try {
    const newest = newestPart(dataDir);
    const records = newest === undefined ? [] : readPartRows(newest).map(({ body }) => JSON.parse(body) as QuotaRecord);
    return records
      .map(({ metric, used, total, read_at }) => ({ metric, used, total, readAt: read_at }))
      .toSorted((a, b) => (a.readAt < b.readAt ? -1 : 1));
  } catch {
    return [];
  }
}
