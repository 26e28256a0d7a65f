import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import { createClock, dayIn } from '../../base/time/clock.js';
import { configPath, readConfig, type Config } from '../../config/config.js';
import { demoMark, identityFile, loginFile, storedKeyFile } from '../../store/data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import { writeFileAtomic, writeFileOnce } from '../../store/files.js';
import { readLogin, readStoredKey, storeKey, type KeyPlace } from '../../config/stored-key.js';
import { INTERRUPTED, interruptSignal } from '../terminal/interrupt.js';
import { commandLine, rememberCall } from '../../base/text/pasteable.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';
import { fetchLists, forecastSnapshot, renderForecast, type SnapshotForecast } from '../runs/snapshot-forecast.js';
import { readEntries } from './choices.js';
import { chooseApi, hasKey, type ChosenApi, type Setting } from './choose-api.js';
import { askSelection, chooseName, chooseSchedule, selectionOf, type Lists } from './choose-market.js';
import { refuseContradictions, refuseFlag, addressFault, requireFlags, type InitOptions } from './flags.js';
import { renderConfig, type Draft, type Selection } from './render-config.js';
import { schemaPath } from './schema-path.js';
import type { CliContext } from '../context.js';
import { Data } from '../../store/data.js';

const DATA = './data';
const NOBODY: Selection = { countries: [], industries: [], sizes: [] };

/**
 * Asks for the values that no option gives, shows a forecast, and writes the configuration file. Stores the API key.
 * @returns exit code: 0, 1 if the person declined, or 130 after Ctrl-C
 * @throws TidemarkError for a wrong option, a wrong key, an API that does not answer, or a file that exists
 */
export async function runInit(options: InitOptions, configFlag: string | undefined): Promise<number> {
  const file = configPath(configFlag);
  refuseContradictions(options);
  if (options.url !== undefined) refuseFlag('--url', addressFault(options.url));
  const isInteractive = isatty(0) && isatty(2) && !options.yes && !options.json;
  const ask = isInteractive ? await import('./prompts.js') : null;
  const scratch = mkdtempSync(path.join(tmpdir(), 'tidemark-init-'));
  const setting: Setting = {
    file,
    data: chooseData(file, options),
    env: process.env,
    clock: createClock(),
    ask,
    scratch,
  };
  try {
    if (ask === null) requireFlags(options, hasKey(options, setting));
    const replaces = existsSync(file);
    if (replaces && !(await mayReplace(file, ask))) return declined();
    return await withApi(options, setting, replaces);
  } catch (error) {
    if (ask !== null && error instanceof ask.Cancelled) {
      declined();
      return INTERRUPTED;
    }
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Chooses the data folder for the new file. If `./data` has data of a demo or of another configuration, chooses a folder
 * for this file alone, so that two markets never mix.
 */
function chooseData(file: string, { sandbox }: InitOptions): string {
  const folder = path.resolve(path.dirname(file), DATA);
  const { name, base } = path.parse(file);
  const isDemo = existsSync(demoMark(folder)) && !sandbox;
  const isOther = base !== 'tidemark.yaml' && (existsSync(identityFile(folder)) || existsSync(loginFile(folder)));
  if (existsSync(file) || !(isDemo || isOther)) return DATA;
  return `${DATA}-${base === 'tidemark.yaml' ? 'api' : name}`;
}

async function mayReplace(file: string, ask: Setting['ask']): Promise<boolean> {
  if (ask !== null) return ask.askWhether(`${showPath(file)} exists. Replace it?`);
  throw new TidemarkError('InvalidInput', `${file} exists, and \`tidemark init\` replaces no file without asking.`, {
    todo: 'Move the file away, or name another one: `tidemark init --config other.yaml`.',
  });
}

function declined(): number {
  tell('Nothing was written.');
  return 1;
}

async function withApi(options: InitOptions, setting: Setting, replaces: boolean): Promise<number> {
  const signal = interruptSignal();
  const api = await chooseApi(options, setting);
  try {
    const plan = await planMarket(options, setting, api, signal);
    if (plan === null) return declined();
    const keyNote = await keepKey(plan.config, api, setting.ask);
    await writeConfig(setting.file, plan.text, replaces);
    if (options.json) sayJson({ file: setting.file, forecast: plan.forecast, ...plan.draft, schema: undefined });
    else sayNext(setting, plan.draft, keyNote);
    const other = setting.env['TIDEMARK_API_URL'];
    if (other && other !== api.baseUrl)
      tell(`TIDEMARK_API_URL is set to ${other}, so commands use it instead of the address in the file. Unset it.`);
    return 0;
  } finally {
    await api.stop();
  }
}

interface Plan {
  draft: Draft;
  /** Content of the file. */
  text: string;
  config: Config;
  forecast: SnapshotForecast;
}

/** Chooses market and schedule, until the person accepts the forecast; null if the person stops. */
async function planMarket(
  options: InitOptions,
  setting: Setting,
  api: ChosenApi,
  signal: AbortSignal,
): Promise<Plan | null> {
  const { ask, file, env, clock, scratch } = setting;
  const fixed = { baseUrl: api.baseUrl, sandbox: api.sandbox, data: setting.data, schema: schemaPath(file) };
  // The forecast uses the address that answers now, in place of the address in the file.
  const read = (text: string): Config => readConfig(file, text, { ...env, TIDEMARK_API_URL: api.url });
  const request = { apiKey: api.key, scratch, signal };
  const any = { ...fixed, ...NOBODY, market: 'market', schedule: null };
  const today = dayIn('UTC', clock.now());
  const found = await fetchLists(contextOf(read(renderConfig(any)), clock), any.market, today, request);
  const lists: Lists = {
    countries: readEntries(found.lists['countries']),
    industries: readEntries(found.lists['activities']),
  };
  let spent = found.spent;
  let selection = selectionOf(options, lists);
  for (;;) {
    if (ask !== null) selection = await askSelection(ask, options, lists, selection);
    const market = await chooseName(ask, options, selection);
    const draft: Draft = { ...fixed, ...selection, market, schedule: await chooseSchedule(ask, options) };
    const text = renderConfig(draft);
    const config = read(text);
    tell('Forecasting the first snapshot …');
    const forecast = await tryForecast(contextOf(config, clock), draft, request, ask !== null);
    if (forecast !== null) {
      // Count all requests since the start of the command, including earlier forecasts.
      spent += forecast.spent;
      forecast.spent = spent;
    }
    if (forecast !== null && !options.json) say(`\n${renderForecast(forecast)}\n`);
    if (ask === null) return { draft, text, config, forecast: forecast! };
    const next = await ask.askOne(`Write ${showPath(file)}?`, [
      ...(forecast === null ? [] : [{ value: 'write' as const, label: 'Write the file' }]),
      { value: 'again', label: 'Change the market' },
      { value: 'stop', label: 'Stop', hint: 'write nothing' },
    ]);
    if (next === 'stop') return null;
    if (next === 'write') return { draft, text, config, forecast: forecast! };
    // The person wants other companies, so ask also for what the options named.
    const { country: _country, industry: _industry, size: _size, ...others } = options;
    options = others;
  }
}

/** There is no data yet that other machines share. */
function contextOf(config: Config, clock: Setting['clock']): CliContext {
  return { config, data: new Data(config.dataDir), clock };
}

/** Forecasts the first snapshot. If the API refuses the filters and a person can change them, returns null. */
async function tryForecast(
  context: CliContext,
  { market, schedule }: Draft,
  request: { apiKey: string; scratch: string; signal: AbortSignal },
  canChange: boolean,
): Promise<SnapshotForecast | null> {
  try {
    return await forecastSnapshot(context, market, dayIn(schedule?.timezone ?? 'UTC', context.clock.now()), request);
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.type !== 'ApiRefused') throw error;
    const todo =
      'Leave out the filter that the API refuses (country, industry or size). Then write it into tidemark.yaml in the form that your API expects.';
    if (!canChange) throw new TidemarkError('ApiRefused', error.message, { todo, cause: error });
    tell(`${error.message}\n  ${todo}`);
    return null;
  }
}

/**
 * Stores a new API key. Replaces another stored key only if the person agrees.
 * @returns a note for a message; null if there is nothing to say
 * @throws TidemarkError `InvalidInput` if another key is stored and nobody can be asked
 */
async function keepKey(config: Config, api: ChosenApi, ask: Setting['ask']): Promise<string | null> {
  if (!api.isNew) return null;
  const { dataDir } = config;
  const place = { dataDir, api: { baseUrl: api.baseUrl } };
  const stored = readLogin(dataDir);
  if (stored !== null && storedEquals(place, api.key)) return null;
  if (stored !== null) {
    // Never replace the stored key of a real API by the key of the sandbox.
    const what = `the stored API key for ${stored.address}`;
    if (api.sandbox) return `Kept ${what}. The sandbox needs no stored key.`;
    if (ask === null) {
      throw new TidemarkError('InvalidInput', `Writing the API key would replace ${what} in ${showPath(dataDir)}.`, {
        todo: 'Nothing was written. Run `tidemark logout` first. Or choose another data folder (TIDEMARK_DATA), or name the key in TIDEMARK_API_KEY_FILE instead of --key-file.',
      });
    }
    if (!(await ask.askWhether(`Replace ${what} in ${showPath(dataDir)}?`)))
      return `Kept ${what}. The new key is not stored: set TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE.`;
  }
  await storeKey(place, api.key);
  return `The API key is stored in ${showPath(storedKeyFile(dataDir))}.`;
}

/** Whether this key is stored for this API. */
function storedEquals(place: KeyPlace, key: string): boolean {
  try {
    return readStoredKey(place) === key;
  } catch {
    return false;
  }
}

async function writeConfig(file: string, text: string, replaces: boolean): Promise<void> {
  if (replaces) return writeFileAtomic(file, text);
  if (await writeFileOnce(file, text)) return;
  throw new TidemarkError('InvalidInput', `Another program wrote ${file} meanwhile, so it was not replaced.`, {
    todo: 'Run `tidemark init` again.',
  });
}

function sayNext({ file, data }: Setting, { market, sandbox, schedule }: Draft, keyNote: string | null): void {
  say(`Wrote ${showPath(file)}.`);
  if (data !== DATA) say(`It uses the data folder ${data}, because ${DATA} has the data of another configuration.`);
  if (keyNote !== null) say(keyNote);
  // A variable of this process may be missing in the next terminal, so name the file.
  if (file !== path.resolve('tidemark.yaml')) rememberCall({ config: showPath(file) });
  const steps = [
    ...(sandbox ? [] : [['tidemark doctor', 'checks the set-up']]),
    [`tidemark up${sandbox ? ' --sandbox' : ''}`, 'runs Temporal and a worker, until Ctrl-C'],
    [`tidemark snapshot --market ${market}`, 'in a second terminal: a snapshot now'],
    ...(schedule === null ? [] : [['tidemark schedule apply', 'from now on, a snapshot every night']]),
  ];
  say('\nNext:');
  for (const [command, what] of steps) say(`  # ${what}\n  ${commandLine(`npx ${command}`)}`);
}
