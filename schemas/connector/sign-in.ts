import { z } from 'zod';

/*
 * Queries and urlencoded forms of the `/oauth/*` routes (reference v1, section "Connector application"). The parameter
 * `session` connects the steps of one sign-in. Each answer is an HTML page or a redirect to the next step.
 */

/**
 * Query of `GET /oauth/login`, `/oauth/sso/start` and `/oauth/consent`. Also the form of `POST /oauth/consent` and
 * `/oauth/deny`.
 */
export const SessionParameters = z.object({ session: z.string() });
export type SessionParameters = z.infer<typeof SessionParameters>;

/** Form of `POST /oauth/login`. */
export const KeyForm = z.object({ session: z.string(), api_key: z.string() });
export type KeyForm = z.infer<typeof KeyForm>;

/** Query of `GET /oauth/trial`, form of `POST /oauth/trial`. */
export const TrialParameters = z.object({ session: z.string(), email: z.string().default('') });
export type TrialParameters = z.input<typeof TrialParameters>;

/** Form of `POST /oauth/trial/verify`. */
export const VerifyForm = z.object({
  session: z.string(),
  email: z.string().default(''),
  code: z.string().default(''),
});
export type VerifyForm = z.input<typeof VerifyForm>;

/** Query of `GET /oauth/sso/callback`. */
export const SsoCallbackQuery = z.object({
  code: z.string().default(''),
  state: z.string().default(''),
  error: z.string().default(''),
});
export type SsoCallbackQuery = z.input<typeof SsoCallbackQuery>;
