import { proxyRemedy } from '../../base/network/tunnel.js';
import { TidemarkError } from '../../base/errors.js';

/** A target that did not accept a message. `todo` is for the operator of this Tidemark, not of the target. */
export class TargetError extends TidemarkError {
  /** How long the target asks to wait before the next attempt; null when it says nothing. */
  readonly retryAfterMs: number | null;
  /** Whether the target may have accepted the message although no answer came. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { todo: string; retryAfterMs?: number | null; mayHaveArrived?: boolean; cause?: unknown },
  ) {
    super('AlertNotSent', message, { ...options, retryable: true });
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}

const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
];
/** After these errors, the target certainly did not get the message. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EDNS',
  'UND_ERR_CONNECT_TIMEOUT',
  ...UNTRUSTED,
]);

const REMEDIES: [codes: readonly string[], what: string, todo: string][] = [
  [['ECONNREFUSED'], 'refused the connection', 'Check that it runs, and that host and port are right.'],
  [['ENOTFOUND', 'EAI_AGAIN', 'EDNS'], 'has an unknown host name', 'Check the host name and the DNS of this machine.'],
  [
    ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ABORT_ERR', 'TimeoutError'],
    'did not answer in time',
    'Check host, port and firewall, or raise `timeout` of the target.',
  ],
  [
    ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
    'closed the connection before it answered',
    'Check the log of the target. For mail, check `tls`.',
  ],
  [
    UNTRUSTED,
    'has a certificate that this machine does not trust',
    'Name your certificate authority in NODE_EXTRA_CA_CERTS, and check the host name.',
  ],
];

/**
 * Converts a network error to a TargetError with cause and remedy.
 * @param who the target in a sentence, such as `hooks.example.com`
 */
export function describeNetworkError(who: string, error: unknown): TargetError {
  const codes = codesOf(error);
  const known = REMEDIES.find(([all]) => all.some((code) => codes.includes(code)));
  const said = error instanceof Error && error.message !== '' ? error.message : codes.join(', ');
  const options = { mayHaveArrived: !codes.some((code) => NOT_CONNECTED.has(code)), cause: error };
  const [proxyTodo] = codes.flatMap((code) => proxyRemedy(code) ?? []);
  if (proxyTodo !== undefined)
    return new TargetError(`${who} could not be reached: ${said}.`, {
      todo: proxyTodo,
      mayHaveArrived: false,
      cause: error,
    });
  return known
    ? new TargetError(`${who} ${known[1]} (${said}).`, { todo: known[2], ...options })
    : new TargetError(`${who} could not be reached: ${said}.`, {
        todo: 'Check the settings of the target.',
        ...options,
      });
}

/** Lists the error codes and names of an error and its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    // The code of a timeout is a number.
    const { code } = e as { code?: string | number };
    // nodemailer has its own codes. It names the code of a network error only in its message.
    codes.push(...(code === undefined ? [] : [String(code)]), e.name, ...(e.message.match(/\bE[A-Z_]{4,}\b/g) ?? []));
    if (e instanceof AggregateError) codes.push(...e.errors.flatMap(codesOf));
  }
  return codes;
}
