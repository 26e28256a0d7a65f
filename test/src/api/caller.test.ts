import { afterEach, describe, expect, it, vi } from 'vitest';

import { Caller } from '../../../src/api/caller.js';
import { LimitError, TransportError, type ApiError } from '../../../src/api/index.js';
import { Limiter } from '../../../src/api/limiter.js';
import { opaque, type Route } from '../../../src/api/route.js';
import type { Answer, Fault } from '../../../src/api/transport.js';
import { createRedactor } from '../../../src/base/text/redact.js';
import { rejection, TEST_KEY } from './helpers.js';

const MAX_RETRIES = 4;

const answer = (status: number, body: object): Answer => ({
  ok: true,
  status,
  body: Buffer.from(JSON.stringify(body)),
  bytes: 1,
  headers: {},
  sentAt: 0,
  receivedAt: 0,
  proxy: null,
});
const fault = (code: string): Fault => ({ ok: false, kind: 'transport', status: 0, bytes: 0, code, message: code });

const GOOD = answer(200, { id: 1 });
const REFUSED = answer(401, { detail: 'Invalid token.' });
const LIMITED = answer(429, { error_guard: 'limit', message_guard: 'slower' });

/** A caller with scripted answers; the last one repeats. */
function scripted(...answers: (Answer | Fault)[]) {
  const limiter = new Limiter(4);
  vi.spyOn(limiter, 'acquire').mockReturnValue(1);
  let sent = 0;
  const caller = new Caller({
    transport: {
      send: () => Promise.resolve(answers[Math.min(sent++, answers.length - 1)] as Answer | Fault),
      close: () => Promise.resolve(),
    },
    redactor: createRedactor(TEST_KEY),
    limiter,
    stopAtDailyLimit: true,
    retry: { maxRetries: MAX_RETRIES, retryBaseMs: 0, retryCapMs: 0, maxRetryAfterMs: 0 },
    timeoutMs: 1_000,
    onSend: undefined,
    onAttempt: undefined,
    now: () => new Date(0),
  });
  const call = (repeat: Route<unknown>['repeat'] = 'always') => caller.call(opaque('GET /v2/metrics', repeat), {});
  return { call, limiter, sent: () => sent };
}

afterEach(() => vi.restoreAllMocks());

describe('a call with side effects', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'repeats a call with side effects after %s: nothing was sent',
    async (code) => {
      const { call, sent } = scripted(fault(code), GOOD);
      expect((await call('unsent')).attempts).toBe(2);
      expect(sent()).toBe(2);
    },
  );

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])(
    'does not repeat a call with side effects after %s',
    async (code) => {
      const { call, sent } = scripted(fault(code), GOOD);
      expect(await rejection<TransportError>(call('unsent'))).toMatchObject({ code, unsent: false });
      expect(sent()).toBe(1);
    },
  );

  it('repeats a call with side effects after "limit"', async () => {
    const { call } = scripted(LIMITED, GOOD);
    expect((await call('unsent')).attempts).toBe(2);
  });
});

it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'does not repeat a call after %s, and names the remedy',
  async (code) => {
    const { call, sent } = scripted(fault(code), GOOD);
    const error = await rejection<ApiError>(call());
    expect(error).toBeInstanceOf(TransportError);
    expect(error.message).toContain('NODE_EXTRA_CA_CERTS');
    expect(sent()).toBe(1);
  },
);

describe('consecutive 401s', () => {
  it('fails at the first 401 when the key was never accepted', async () => {
    const { call, sent } = scripted(REFUSED);
    await rejection(call());
    expect(sent()).toBe(1);
  });

  it('repeats a 401 twice when the key was accepted before', async () => {
    const { call, sent } = scripted(GOOD, REFUSED);
    await call();
    await rejection(call());
    expect(sent()).toBe(1 + 3);
  });

  it('does not repeat a 401 for a call with side effects', async () => {
    const { call, sent } = scripted(GOOD, REFUSED);
    await call();
    await rejection(call('unsent'));
    expect(sent()).toBe(1 + 1);
  });
});

describe('"limit"', () => {
  it('retries "limit" up to the configured number and slows down', async () => {
    const { call, sent, limiter } = scripted(LIMITED);
    expect(await rejection(call())).toBeInstanceOf(LimitError);
    expect(sent()).toBe(1 + MAX_RETRIES);
    expect(limiter.limits).toMatchObject({ allowed: 1, max: 4, isSlowed: true });
  });

  it('retries a lasting "limit" once only, until a good answer', async () => {
    let now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const answers = [...Array.from({ length: 7 }, () => LIMITED), GOOD, LIMITED];
    const { call, sent } = scripted(...answers);
    await rejection(call());
    expect(sent()).toBe(5);
    now += 10_001;
    await rejection(call());
    expect(sent()).toBe(7);
    await call();
    await rejection(call());
    expect(sent()).toBe(8 + 5);
  });
});
