import path from 'node:path';
import type { Clock } from '../../base/time/clock.js';
import { readApiKey, readConfig, type Config } from '../../config/config.js';
import { errorMessage, invalidInput, TidemarkError } from '../../base/errors.js';
import { isInEnvironment, readStoredKey } from '../../config/stored-key.js';
import { tell } from '../terminal/print.js';
import { SANDBOX_URL } from '../running-sandbox.js';
import { startSandbox } from '../local/sandbox-process.js';
import { verifyKey } from '../login/verify-key.js';
import { addressFault, refuseFlag, trimAddress, type InitOptions } from './flags.js';
import type * as PromptsModule from './prompts.js';

type Prompts = typeof PromptsModule;

/** The API whose data a person wants, and the API key that it accepts. */
export interface ChosenApi {
  sandbox: boolean;
  /** Address to write into the file. */
  baseUrl: string;
  /** Address that answers now. If the person chose the sandbox, this is the address of a temporary sandbox. */
  url: string;
  key: string;
  /** Whether to store the key; false if it is stored already, or in the environment. */
  isNew: boolean;
  stop(): Promise<void>;
}

/** What `chooseApi` works with. `ask` is null when it may not ask questions. */
export interface Setting {
  file: string;
  /** Data folder to write into the file. */
  data: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  ask: Prompts | null;
  /** Temporary folder. */
  scratch: string;
}

/**
 * Chooses the API and checks that it accepts the API key. Asks again after a wrong address or key.
 * @throws TidemarkError when the API does not answer or refuses the API key, and nobody can be asked
 */
export async function chooseApi(options: InitOptions, setting: Setting): Promise<ChosenApi> {
  const { ask } = setting;
  const kind =
    ask === null || options.sandbox || options.url !== undefined || options.keyFile !== undefined
      ? 'api'
      : await ask.askOne('Which data?', [
          { value: 'api', label: 'Company Data API', hint: 'you need its address and an API key' },
          { value: 'sandbox', label: 'Sandbox', hint: 'an invented market; no API key' },
        ]);
  return options.sandbox || kind === 'sandbox' ? startTemporarySandbox(setting) : chooseRealApi(options, setting);
}

async function startTemporarySandbox({ scratch }: Setting): Promise<ChosenApi> {
  tell('Starting a temporary sandbox for the forecast …');
  const { sandbox: url, key, stop } = await startSandbox(['--port', '0'], path.join(scratch, 'sandbox.log'));
  return { sandbox: true, baseUrl: SANDBOX_URL, url, key, isNew: true, stop };
}

async function chooseRealApi(options: InitOptions, setting: Setting): Promise<ChosenApi> {
  const { ask, env } = setting;
  let { url } = options;
  if (url !== undefined) refuseFlag('--url', addressFault(url));
  for (let first = true; ; first = false) {
    url ??= await ask!.askText('Address of the API (https://…)', {
      initial: first ? (env['TIDEMARK_API_URL'] ?? '') : '',
      check: addressFault,
    });
    const baseUrl = trimAddress(url);
    const { key, source, isNew } = await findKey(options, setting, baseUrl, first);
    tell(`Checking the API key at ${baseUrl} …`);
    const fault = await checkAccess(baseUrl, key, source, setting);
    if (fault === null) return { sandbox: false, baseUrl, url: baseUrl, key, isNew, stop: async () => undefined };
    if (ask === null) throw fault;
    tell(`${fault.message}\n  ${fault.todo}`);
    // Ask for the address again if it does not answer. Ask for the API key again if it was refused.
    url = fault.type === 'Unauthorized' ? url : undefined;
  }
}

interface FoundKey {
  key: string;
  /** Where the key comes from, for messages: `from key.txt`. */
  source: string;
  isNew: boolean;
}

async function findKey(options: InitOptions, setting: Setting, url: string, first: boolean): Promise<FoundKey> {
  const { ask, env } = setting;
  if (first || ask === null) {
    if (options.keyFile !== undefined)
      return { key: readKeyOption(options.keyFile), source: `from ${options.keyFile}`, isNew: true };
    if (isInEnvironment(env)) return { key: readApiKey(env), source: 'from the environment', isNew: false };
    const stored = storedKey(configFor(url, setting));
    if (stored !== null) return { key: stored, source: 'stored by `tidemark login`', isNew: false };
  }
  return { key: await ask!.askSecret('API key (not shown)'), source: 'as typed', isNew: true };
}

/** Returns a configuration that holds nothing but the address and the data folder. */
function configFor(url: string, { file, data, env }: Setting): Config {
  return readConfig(file, `data: ${JSON.stringify(data)}`, { ...env, TIDEMARK_API_URL: url });
}

/** Whether an API key is known without asking. */
export function hasKey(options: InitOptions, setting: Setting): boolean {
  if (isInEnvironment(setting.env)) return true;
  return options.url !== undefined && storedKey(configFor(trimAddress(options.url), setting)) !== null;
}

function storedKey(config: Config): string | null {
  try {
    return readStoredKey(config);
  } catch {
    // The stored key is for another API, or cannot be read.
    return null;
  }
}

function readKeyOption(file: string): string {
  try {
    return readApiKey({ TIDEMARK_API_KEY_FILE: file });
  } catch (error) {
    throw invalidInput(
      errorMessage(error),
      '--key-file must name a file that holds only the API key, and that you can read (chmod 600).',
      error,
    );
  }
}

/** Checks address and key. Returns what is wrong, with a remedy; null if the API accepts the key. */
async function checkAccess(url: string, key: string, source: string, setting: Setting): Promise<TidemarkError | null> {
  try {
    await verifyKey(configFor(url, setting), setting.clock, key);
    return null;
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    if (error.type === 'Unauthorized') {
      return new TidemarkError('Unauthorized', `${url} refuses the API key (${source}).`, {
        todo: 'Copy the API key again, without spaces. Check also that it belongs to this address (--url).',
        cause: error,
      });
    }
    if (error.type !== 'ApiUnavailable') return error;
    return new TidemarkError('ApiUnavailable', `Cannot use the API at ${error.message}`, {
      todo: 'Check the address (--url), and that this machine can reach it. To try Tidemark without an API: `tidemark init --sandbox`.',
      cause: error,
    });
  }
}
