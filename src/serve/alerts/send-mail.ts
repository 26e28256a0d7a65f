import { bodyLines, type Message } from './message.js';
import { describeNetworkError, TargetError } from './target-error.js';

/** A mail server, and the sender and recipients of the mails that it sends. */
export interface Mailbox {
  host: string;
  port: number;
  /** starttls: refuses to go on without encryption. tls: encrypted from the start. none: never encrypted. */
  tls: 'starttls' | 'tls' | 'none';
  from: string;
  to: readonly string[];
  login: { user: string; password: string } | null;
  timeoutMs: number;
}

/**
 * Sends a message as mail. The Message-ID stays the same when the message is sent again.
 * @returns number of recipients that the server refused; if it refused all of them, throws instead
 * @throws TargetError when the server did not accept the mail
 */
export async function sendMail(box: Mailbox, message: Message): Promise<{ refused: number }> {
  const { host, port, tls, from, to, login, timeoutMs } = box;
  // Most workers send no mail.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    // Set explicitly, so that the environment variable NODE_TLS_REJECT_UNAUTHORIZED cannot switch off the check.
    tls: { rejectUnauthorized: true },
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    transport.close();
  }, timeoutMs);
  try {
    const aborted = new Promise<never>((_, reject) => {
      late.signal.addEventListener('abort', () =>
        reject(Object.assign(new Error(`no answer within ${timeoutMs / 1_000} s`), { code: 'ETIMEDOUT' })),
      );
    });
    const sent = await Promise.race([transport.sendMail(mailOf(message, { from, to })), aborted]);
    return { refused: sent.rejected.length };
  } catch (error) {
    throw describeMailError(`${host}:${port}`, error);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

function mailOf(message: Message, { from, to }: Pick<Mailbox, 'from' | 'to'>) {
  const { alert, key } = message;
  const text = [...bodyLines(message), '', `Alert ${alert.id}, found at ${alert.at}.`].join('\n');
  return {
    from,
    to: [...to],
    subject: alert.title,
    text,
    messageId: `<${key}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    // Use the time of the alert, so that a repeated attempt sends the same mail.
    date: new Date(alert.at),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Tidemark-Alert': alert.id, 'Idempotency-Key': key },
  };
}

interface SmtpError extends NodeJS.ErrnoException {
  response?: string;
  responseCode?: number;
}

function describeMailError(server: string, error: unknown): TargetError {
  const { code, response, responseCode, message } = error as SmtpError;
  const said = response ?? message;
  const options = (todo: string) => ({ todo, cause: error });
  if (code === 'EAUTH')
    return new TargetError(
      `${server} refused the user name or password: ${said}.`,
      options('Check the variables …_USER and …_PASSWORD of the target (`tidemark notify list` names them).'),
    );
  if (code === 'EENVELOPE')
    return new TargetError(
      `${server} refused the sender or all recipients: ${said}.`,
      options('Check `from` and `to`, and whether the server requires a user name and password.'),
    );
  if (code === 'ETLS' || /STARTTLS/i.test(message ?? ''))
    return new TargetError(
      `${server} offers no encryption with STARTTLS: ${said}.`,
      options('If the port is encrypted from the start, write smtps:// in `mail.host`.'),
    );
  if (responseCode !== undefined)
    return new TargetError(`${server} refused the mail: ${said}.`, options('Check the settings of the target.'));
  return describeNetworkError(server, error);
}
