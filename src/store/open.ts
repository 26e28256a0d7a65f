import path from 'node:path';
import { isBucket } from './places.js';
import { LocalFolder } from './local-folder.js';
import { PATIENCE, type Patience } from './retry.js';
import { Bucket } from './s3/bucket.js';
import { S3Client } from './s3/client.js';
import { parseBucket, type BucketSettings } from './s3/settings.js';
import type { Storage } from './storage.js';

/** How to reach a bucket, where the environment does not say it. */
export type ReachSettings = Pick<BucketSettings, 'endpoint' | 'region' | 'pathStyle'>;

/**
 * Opens a bucket (`s3://bucket/prefix`) or a folder. Sends no request.
 * @param patience how long requests to a bucket are repeated
 * @throws TidemarkError `InvalidConfig` for a wrong address or missing credentials
 */
export function openStorage(
  place: string,
  reach: ReachSettings = {},
  env: NodeJS.ProcessEnv = process.env,
  patience: Patience = PATIENCE,
): Storage {
  if (!isBucket(place)) return new LocalFolder(path.resolve(place));
  return new Bucket(new S3Client({ ...parseBucket(place), ...reach }, env, patience));
}
