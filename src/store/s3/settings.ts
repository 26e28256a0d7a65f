import { TidemarkError } from '../../base/errors.js';

/** Which bucket to use, and how to reach it. */
export interface BucketSettings {
  bucket: string;
  /** First part of all keys, without slashes at its ends; may be empty. */
  prefix: string;
  /** Address of the service, such as `https://s3.example.com`. Default: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, AWS. */
  endpoint?: string | undefined;
  /** Default: `AWS_REGION`, `AWS_DEFAULT_REGION`, `us-east-1`. */
  region?: string | undefined;
  /** Whether the bucket is in the path (true) or in the host name. Default: true with an endpoint, and for AWS false. */
  pathStyle?: boolean | undefined;
}

/** Keys of an account, from the environment. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Address of a bucket, and the region to sign for. */
export interface BucketAddress {
  /** Address of the bucket without a slash at its end. */
  url: string;
  region: string;
}

/**
 * Reads `s3://bucket/prefix`.
 * @throws TidemarkError `InvalidConfig`
 */
export function parseBucket(place: string): Pick<BucketSettings, 'bucket' | 'prefix'> {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket === undefined) {
    throw new TidemarkError('InvalidConfig', `${JSON.stringify(place)} is no bucket.`, {
      todo: 'Write s3://<bucket>/<prefix>; a bucket has 3 to 63 lower-case letters, digits, dots and hyphens.',
    });
  }
  return { bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
}

/**
 * Finds the address of a bucket.
 * @throws TidemarkError `InvalidConfig` for an endpoint that is no web address
 */
export function addressOf(settings: BucketSettings, env: NodeJS.ProcessEnv): BucketAddress {
  const region = settings.region ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1');
  const endpoint = settings.endpoint ?? (env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined);
  // A host name with a dot in the bucket does not match the certificate of AWS.
  const pathStyle = settings.pathStyle ?? (endpoint !== undefined || settings.bucket.includes('.'));
  const base = readEndpoint(
    endpoint ?? `https://s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
  );
  const folder = base.pathname.replace(/\/+$/, '');
  return {
    url: pathStyle
      ? `${base.protocol}//${base.host}${folder}/${settings.bucket}`
      : `${base.protocol}//${settings.bucket}.${base.host}${folder}`,
    region,
  };
}

function readEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new TidemarkError('InvalidConfig', 'The endpoint of the bucket is no web address.', {
      todo: 'Write an address such as https://s3.example.com, without a key, a name or a question mark.',
    });
  }
  return url;
}

/**
 * Reads the credentials from the standard variables of AWS. Profiles, instance roles and web identities are not read.
 * @throws TidemarkError `InvalidConfig` when they are not set
 */
export function readCredentials(env: NodeJS.ProcessEnv): Credentials {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ].map((name) => env[name]?.trim());
  if (!accessKeyId || !secretAccessKey) {
    throw new TidemarkError('InvalidConfig', 'There are no credentials for the bucket.', {
      todo: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN if the credentials are temporary.',
    });
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
