import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import type { Cause } from '../../../schemas/pipeline/cause.js';
import type { Config } from '../../config/config.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { FROM_ENVIRONMENT, kindOf, SECRET_ENDINGS, variableOf, type TargetConfig } from '../../config/notify-schema.js';
import { createRedactor } from '../../base/text/redact.js';
import type { Message } from './message.js';
import { runCommand } from './run-command.js';
import { sendMail, type Mailbox } from './send-mail.js';
import { sendWebhook } from './send-webhook.js';
import { TargetError } from './target-error.js';

/** A target with its secrets, ready to send. */
export interface Target {
  name: string;
  /**
   * Sends a message once.
   * @returns a remark about a message that was accepted only in part; null when it was accepted
   * @throws TargetError without secrets in its text
   */
  send(message: Message): Promise<string | null>;
}

/** A target as commands show it, without secrets. */
export interface TargetRow {
  target: string;
  kind: 'webhook' | 'mail' | 'command';
  /** Host, or program. */
  to: string;
  on: Cause[];
  /** Variables for secrets, and whether each is set. */
  secrets: { variable: string; set: boolean }[];
}

type Env = NodeJS.ProcessEnv;

// Longest times of one attempt. Before a worker stops, it waits for its attempts.
const TIMEOUT_MS = 20_000;
const COMMAND_TIMEOUT_MS = 60_000;

/** Returns the names of the targets to which alerts with this cause are sent. */
export function targetsFor({ notify }: Pick<Config, 'notify'>, cause: Cause): string[] {
  return notify.filter(({ on }) => on.includes(cause)).map(({ name }) => name);
}

/** Describes a target without its secrets. */
export function describeTarget(target: TargetConfig, env: Env = process.env): TargetRow {
  const { name, webhook, mail, command, on } = target;
  const kind = kindOf(target);
  const to = mail
    ? `${new URL(mail.host).host}, ${mail.to.length} recipient${mail.to.length > 1 ? 's' : ''}`
    : (command?.[0] ?? hostOf(webhook));
  const endings = SECRET_ENDINGS[kind].filter((ending) => ending !== 'URL' || webhook === FROM_ENVIRONMENT);
  const secrets = endings.map((ending) => {
    const variable = variableOf(name, ending);
    return { variable, set: Boolean(env[variable] || env[`${variable}_FILE`]) };
  });
  return { target: name, kind, to, on, secrets };
}

function hostOf(webhook = ''): string {
  return webhook === FROM_ENVIRONMENT ? 'address from the environment' : new URL(webhook).host;
}

/**
 * Makes a target ready to send: reads its secrets from the environment or from files.
 * @throws TidemarkError `InvalidConfig` for a missing or unusable secret
 */
export function openTarget(target: TargetConfig, { file }: Pick<Config, 'file'>, env: Env = process.env): Target {
  const { name } = target;
  const secrets: string[] = [];
  const secret = (ending: string): string | null => {
    const value = readSecret(name, ending, env);
    if (value !== null) secrets.push(value);
    return value;
  };
  const send = sender();
  return {
    name,
    async send(message) {
      try {
        return await send(message);
      } catch (error) {
        throw withoutSecrets(error, secrets);
      }
    },
  };

  function sender(): (message: Message) => Promise<string | null> {
    const { webhook, mail, command } = target;
    if (webhook !== undefined) {
      const address = webhookAddress(target, webhook === FROM_ENVIRONMENT ? secret('URL') : webhook);
      const value = secret('SECRET');
      if (value !== null) requireEncryption(target, address);
      const header = target.header ?? 'Authorization';
      const hook = {
        address,
        template: target.template ?? 'json',
        secret: value === null ? null : { header, value },
        timeoutMs: TIMEOUT_MS,
      };
      return async (message) => {
        await sendWebhook(hook, message);
        return null;
      };
    }
    if (mail) {
      const [user, password] = [secret('USER'), secret('PASSWORD')];
      if ((user === null) !== (password === null)) throw halfLogin(name, user === null ? 'USER' : 'PASSWORD');
      const login = user === null || password === null ? null : { user, password };
      const box = { ...mail, ...readServer(mail.host), login, timeoutMs: TIMEOUT_MS };
      return async (message) => {
        const { refused } = await sendMail(box, message);
        return refused === 0 ? null : `The server refused ${refused} of ${mail.to.length} recipients.`;
      };
    }
    const [program = '', ...args] = command ?? [];
    return async (message) => {
      await runCommand(
        { command: [program, ...args], folder: path.dirname(file), timeoutMs: COMMAND_TIMEOUT_MS },
        message,
      );
      return null;
    };
  }
}

// Redacting a shorter text would destroy the message. A mail server may have a short user name.
const SHORTEST_SECRET = 4;

function withoutSecrets(error: unknown, all: readonly string[]): TargetError {
  const secrets = all.filter((secret) => secret.length >= SHORTEST_SECRET);
  const clean = (text: string): string => secrets.reduce((shown, secret) => createRedactor(secret).text(shown), text);
  // Leave out the error as a cause: its texts may hold secrets.
  return error instanceof TargetError
    ? new TargetError(clean(error.message), {
        todo: clean(error.todo),
        retryAfterMs: error.retryAfterMs,
        mayHaveArrived: error.mayHaveArrived,
      })
    : new TargetError(clean(errorMessage(error)), { todo: 'Check the settings of the target.' });
}

function readSecret(name: string, ending: string, env: Env): string | null {
  const variable = variableOf(name, ending);
  const file = env[`${variable}_FILE`];
  const value = env[variable]?.trim() || (file ? readSecretFile(`${variable}_FILE`, file) : '');
  if (value === '') return null;
  if (!/^[^\p{Cc}]+$/u.test(value))
    throw invalid(`The value of ${variable} contains a line break or control character.`, 'Write it as one line.');
  return value;
}

function readSecretFile(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .trim();
  } catch (error) {
    throw invalid(
      `The file ${file} that ${variable} names cannot be read: ${errorMessage(error)}.`,
      'Let the variable name a file that this user can read (chmod 600).',
    );
  }
}

function webhookAddress({ name }: TargetConfig, text: string | null): URL {
  const variable = variableOf(name, 'URL');
  if (text === null)
    throw invalid(
      `The target ${name} has no address.`,
      `Set ${variable}, or ${variable}_FILE to a file that holds it.`,
    );
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalid(`The value of ${variable} is not an http(s) address.`, 'Copy the address again, as one line.');
  return new URL(text);
}

function requireEncryption({ name }: TargetConfig, address: URL): void {
  if (address.protocol === 'https:' || isThisMachine(address.hostname)) return;
  throw invalid(
    `The target ${name} would send its secret over plain http to ${address.hostname}.`,
    'Use https, or a `command` that sends the message.',
  );
}

function halfLogin(name: string, missing: string): TidemarkError {
  return invalid(
    `The target ${name} has only one of user and password.`,
    `Set ${variableOf(name, missing)} (or ${variableOf(name, missing)}_FILE) too.`,
  );
}

/** `smtps://` is encrypted from the start, `smtp://` with STARTTLS. A server on this machine needs no encryption. */
function readServer(address: string): Pick<Mailbox, 'host' | 'port' | 'tls'> {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const tls = protocol === 'smtps:' ? 'tls' : isThisMachine(host) ? 'none' : 'starttls';
  return { host, port: Number(port) || (tls === 'tls' ? 465 : 587), tls };
}

function isThisMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function invalid(message: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidConfig', message, { todo });
}
