import { z } from 'zod';
import { ConfigSchema } from './config-schema.js';
import type { ConfigText, SettingPath } from './config-text.js';
import { showSetting } from './config-text.js';
import { didYouMean } from '../base/text/near-names.js';

type Issue = z.core.$ZodIssue;

/** Variables of the environment that override settings. */
export const OVERRIDES: Readonly<Record<string, string>> = {
  'api.baseUrl': 'TIDEMARK_API_URL',
  'api.connectorUrl': 'TIDEMARK_CONNECTOR_URL',
};

/**
 * Describes all faults of a configuration, one a line: place in the file, path of the setting, what is allowed. Does
 * not repeat wrong values, because they may be secrets.
 */
export function describeFaults(text: ConfigText, error: z.ZodError, env: NodeJS.ProcessEnv): string {
  return error.issues
    .flatMap((issue) => faultsOf(issue, text))
    .map(({ path, message }) => `  ${whereIs(path, text, env)}: ${message}`)
    .join('\n');
}

interface Fault {
  path: SettingPath;
  message: string;
}

function faultsOf(issue: Issue, text: ConfigText): Fault[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = settingsAt(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `is not a setting.${didYouMean(key, known) || ` Settings here: ${known.join(', ')}.`}`,
    }));
  }
  const value = path.reduce<unknown>((inner, part) => (inner as Record<PropertyKey, unknown>)?.[part], text.content);
  if (value === undefined) return [{ path, message: `is missing: ${issue.message}` }];
  const allowed = issue.code === 'invalid_value' ? issue.values.filter((each) => typeof each === 'string') : [];
  return [{ path, message: `${issue.message}${typeof value === 'string' ? didYouMean(value, allowed) : ''}` }];
}

function whereIs(path: SettingPath, text: ConfigText, env: NodeJS.ProcessEnv): string {
  const shown = showSetting(path);
  const variable = OVERRIDES[shown];
  if (variable !== undefined && env[variable]) return `${variable} (in place of ${shown})`;
  const place = text.placeOf(path);
  return place === null ? shown : `${place}: ${shown}`;
}

/** Names of the settings that the object at `path` may have. */
function settingsAt(path: SettingPath): string[] {
  let node: JsonSchema | undefined = z.toJSONSchema(ConfigSchema, { io: 'input' }) as JsonSchema;
  for (const part of path) node = typeof part === 'number' ? node?.items : node?.properties?.[String(part)];
  return Object.keys(node?.properties ?? {});
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}
