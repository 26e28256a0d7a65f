import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { makeProject } from './project.js';
import { startGateway } from './versitygw.js';

type Options = Parameters<typeof makeProject>[0];

/** Where the projects of a test keep their data: each in its folder, or in a bucket with `TEST_DATA=bucket`. */
export interface DataPlace {
  isBucket: boolean;
  /**
   * Returns options of `makeProject` for new data. Projects with the same options are machines that share the data.
   * @param options options that are kept
   */
  withData<Given extends Pick<Options, 'config' | 'env'>>(options: Given): Given & Pick<Options, 'landing'>;
  /** Variables that reach the bucket; none for a folder. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

export async function startDataPlace(): Promise<DataPlace> {
  if (process.env['TEST_DATA'] !== 'bucket')
    return { isBucket: false, env: {}, withData: (options) => options, stop: () => Promise.resolve() };
  const gateway = await startGateway();
  const { bucket, folder } = gateway;
  const env = { ...gateway.env };
  return {
    isBucket: true,
    env,
    withData(options) {
      const prefix = randomUUID();
      return {
        ...options,
        config: { data: `s3://${bucket}/${prefix}`, ...options.config },
        landing: path.join(folder, prefix, 'landing'),
        env: { ...env, ...options.env },
      };
    },
    stop: () => gateway.remove(),
  };
}
