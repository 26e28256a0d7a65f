import { z } from 'zod';
import { Cause, CAUSES } from '../../schemas/pipeline/cause.js';

/** Environment variables of targets begin with this prefix. */
export const TARGET_VARIABLES = 'TIDEMARK_NOTIFY_';

/** Value of the setting `webhook` that means: the address is in an environment variable. */
export const FROM_ENVIRONMENT = 'env';

/**
 * Endings of the environment variables that hold a target's secrets. A variable whose name also ends in `_FILE` names a
 * file with the secret.
 */
export const SECRET_ENDINGS = { webhook: ['URL', 'SECRET'], mail: ['USER', 'PASSWORD'], command: [] } as const;

const TargetName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,30}$/,
    'must have 1 to 31 characters: lower-case letters, digits, - and _; the first is a letter or digit',
  );

/** An address of a web service. The message does not repeat a wrong address, because it may contain a secret. */
const WebhookAddress = z
  .string()
  .refine(
    (text) => text === FROM_ENVIRONMENT || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
    'must be an http(s) address like https://hooks.example.com/x, or env',
  )
  .refine((text) => {
    if (!URL.canParse(text)) return true;
    const { username, password, search, hash } = new URL(text);
    return [username, password, search, hash].every((part) => part === '');
  }, `must not contain a user, password, query or fragment; write "env" instead, and set the address in ${TARGET_VARIABLES}<NAME>_URL`);

const MailAddress = z.email('must be a mail address like ops@example.com');

/** Address of a mail server. The message does not repeat a wrong address, because it may contain a password. */
const MailServer = z
  .string()
  .refine(
    (text) => /^smtps?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i.test(text) && URL.canParse(text),
    `must be smtp://host:port or smtps://host:port, without user and password; these are in ${TARGET_VARIABLES}<NAME>_USER and …_PASSWORD`,
  );

const Mail = z.strictObject({
  host: MailServer,
  from: MailAddress,
  to: z.array(MailAddress).min(1).max(50),
});

const KINDS = ['webhook', 'mail', 'command'] as const;

const Target = z
  .strictObject({
    name: TargetName.optional(),
    on: z
      .array(Cause)
      .min(1)
      .default([...CAUSES]),
    webhook: WebhookAddress.optional(),
    template: z.enum(['json', 'slack', 'teams']).optional(),
    header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,60}$/, 'must be the name of an HTTP header')
      .optional(),
    mail: Mail.optional(),
    command: z.array(z.string().min(1)).min(1).max(100).optional(),
  })
  .superRefine((target, context) => {
    const kinds = KINDS.filter((kind) => target[kind] !== undefined);
    if (kinds.length !== 1) {
      const has = kinds.length === 0 ? 'none of them' : kinds.join(' and ');
      context.addIssue({ code: 'custom', message: `must have one of webhook, mail and command; it has ${has}` });
    }
    for (const key of ['template', 'header'] as const) {
      if (target[key] === undefined || target.webhook !== undefined) continue;
      context.addIssue({ code: 'custom', path: [key], message: 'only a target with `webhook` has this setting' });
    }
  });

/**
 * `notify:` in tidemark.yaml: the targets of alerts. A target without a name gets the name of its kind: `webhook`,
 * `webhook-2`.
 */
export const NotifySchema = z
  .array(Target)
  .max(50)
  .transform((targets) => {
    const taken = new Set(targets.flatMap(({ name }) => name ?? []));
    return targets.map((target) => {
      const name = target.name ?? freeName(KINDS.find((kind) => target[kind] !== undefined) ?? 'target', taken);
      taken.add(name);
      return { ...target, name };
    });
  })
  .superRefine((targets, context) => {
    const owners = new Map<string, string>();
    for (const [index, { name }] of targets.entries()) {
      const variable = variableOf(name, '');
      const other = owners.get(variable);
      const message =
        other === name
          ? `two targets have the name ${name}`
          : `the targets ${other} and ${name} would share the variables ${variable}…`;
      if (other !== undefined) context.addIssue({ code: 'custom', path: [index, 'name'], message });
      owners.set(variable, name);
    }
  })
  .default([]);

export type TargetConfig = z.infer<typeof NotifySchema>[number];

function freeName(kind: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? kind : `${kind}-${n}`;
    if (!taken.has(name)) return name;
  }
}

/** Returns the environment variable of a target: `TIDEMARK_NOTIFY_NIGHT_MAIL_PASSWORD`. */
export function variableOf(name: string, ending: string): string {
  return `${TARGET_VARIABLES}${name.toUpperCase().replaceAll('-', '_')}_${ending}`;
}

/** Returns the kind of a target. */
export function kindOf(target: Pick<TargetConfig, 'webhook' | 'mail'>): (typeof KINDS)[number] {
  return target.webhook !== undefined ? 'webhook' : target.mail !== undefined ? 'mail' : 'command';
}
