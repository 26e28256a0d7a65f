/** What a service refused, and what to do. */
export interface Refusal {
  /** End of a sentence that begins with the place. */
  what: string;
  todo: string;
}

const RIGHTS =
  'Give the credentials the rights s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on its objects.';
const KEYS =
  'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN if the credentials are temporary.';

const UNKNOWN_KEY: Refusal = { what: 'the service does not know the access key', todo: KEYS };
const REFUSALS: Record<string, Refusal> = {
  AccessDenied: { what: 'the credentials lack a right', todo: RIGHTS },
  InvalidAccessKeyId: UNKNOWN_KEY,
  XAdminUserNotFound: UNKNOWN_KEY, // of versitygw
  SignatureDoesNotMatch: { what: 'the service does not accept the signature', todo: KEYS },
  ExpiredToken: { what: 'the credentials have expired', todo: 'Set new credentials in the environment.' },
  InvalidToken: { what: 'the service does not accept the session token', todo: KEYS },
  RequestTimeTooSkewed: {
    what: "this machine's clock differs too much from the clock of the service",
    todo: "Correct this machine's clock (NTP).",
  },
  NoSuchBucket: { what: 'the bucket does not exist', todo: 'Check its name and the endpoint, or create the bucket.' },
  NotImplemented: {
    what: 'the service lacks a function that Tidemark needs',
    todo: 'Use a service with conditional writes (If-None-Match and If-Match) and multipart uploads.',
  },
};
const OTHER_REGION = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed', 'TemporaryRedirect']);

/**
 * Explains an answer that a retry does not change.
 * @param region the region of the bucket, if the service named it
 */
export function describeRefusal(status: number, code: string | undefined, region: string | undefined): Refusal {
  if ((status >= 300 && status <= 399) || (code !== undefined && OTHER_REGION.has(code))) {
    return {
      what: region === undefined ? 'the bucket is in another region' : `the bucket is in the region ${region}`,
      todo: `Set AWS_REGION${region === undefined ? '' : ` to ${region}`}.`,
    };
  }
  const known = code === undefined ? undefined : REFUSALS[code];
  if (known !== undefined) return known;
  if (status === 401 || status === 403)
    return { what: 'the service refuses the credentials', todo: `${KEYS} ${RIGHTS}` };
  if (status === 501) return REFUSALS['NotImplemented'] as Refusal;
  return { what: 'the service refuses the request', todo: 'Check that the endpoint is an S3-compatible service.' };
}
