import { tell } from '../terminal/print.js';
import { COUNTRY, findEntries, INDUSTRY, type Entry } from './choices.js';
import { marketFault, NIGHTLY_AT, refuseFlag, timeFault, zoneFault, type InitOptions } from './flags.js';
import type * as PromptsModule from './prompts.js';
import type { Draft, Selection } from './render-config.js';
import { errorMessage } from '../../base/errors.js';
import { parseSize, sizeFilter, SIZES, type Size } from './sizes.js';

type Prompts = typeof PromptsModule;

/** The lookup lists of the API from which a person chooses. */
export interface Lists {
  countries: readonly Entry[];
  industries: readonly Entry[];
}

/**
 * Reads the companies of the market from the options.
 * @throws TidemarkError `InvalidInput` for an unknown name or a wrong size
 */
export function selectionOf(options: InitOptions, lists: Lists): Selection {
  const sizes = (options.size ?? []).map(parseSize);
  sizeFilter(sizes);
  return {
    countries: findEntries(lists.countries, options.country ?? [], COUNTRY),
    industries: findEntries(lists.industries, options.industry ?? [], INDUSTRY),
    sizes,
  };
}

/** Asks for the companies of the market, starting from `chosen`. Does not ask what an option names. */
export async function askSelection(
  ask: Prompts,
  options: InitOptions,
  lists: Lists,
  chosen: Selection,
): Promise<Selection> {
  return {
    countries: options.country
      ? chosen.countries
      : await askEntries(ask, 'Countries', lists.countries, chosen.countries),
    industries: options.industry
      ? chosen.industries
      : await askEntries(ask, 'Industries', lists.industries, chosen.industries),
    sizes: options.size ? chosen.sizes : await askSizes(ask, chosen.sizes),
  };
}

async function askEntries(
  ask: Prompts,
  message: string,
  entries: readonly Entry[],
  chosen: readonly Entry[],
): Promise<Entry[]> {
  if (entries.length === 0) {
    tell(`${message}: the API gives no list of names, so the market has no such filter.`);
    return [];
  }
  const choices = entries.map((value) => ({
    value,
    label: value.short ? `${value.name} (${value.short})` : value.name,
  }));
  return ask.askSeveral(`${message} (choose none for all)`, choices, chosen);
}

async function askSizes(ask: Prompts, chosen: readonly Size[]): Promise<Size[]> {
  const choices = SIZES.map((value) => ({
    value,
    label: `${value.name}: ${value.from}${value.to === null ? ' or more' : ` to ${value.to}`} employees`,
  }));
  for (;;) {
    const sizes = await ask.askSeveral('Sizes (choose none for all)', choices, chosen);
    try {
      sizeFilter(sizes);
      return sizes;
    } catch (error) {
      tell(errorMessage(error));
    }
  }
}

/** Chooses the name of the market. */
export async function chooseName(ask: Prompts | null, options: InitOptions, { countries }: Selection): Promise<string> {
  if (options.market !== undefined) {
    refuseFlag('--market', marketFault(options.market));
    return options.market;
  }
  const only = countries.length === 1 ? countries[0]!.name : '';
  const slug = only
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const initial = marketFault(slug) === null ? slug : 'market';
  return ask === null ? initial : ask.askText('Name of the market', { initial, check: marketFault });
}

/** Chooses when the nightly run starts; null for no schedule. */
export async function chooseSchedule(ask: Prompts | null, options: InitOptions): Promise<Draft['schedule']> {
  if (options.at !== undefined) refuseFlag('--at', timeFault(options.at));
  if (options.timezone !== undefined) refuseFlag('--timezone', zoneFault(options.timezone));
  const time =
    options.at ??
    (ask === null
      ? NIGHTLY_AT
      : await ask.askText('Time of the nightly run (HH:MM, or none)', { initial: NIGHTLY_AT, check: timeFault }));
  if (time === 'none') return null;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const timezone =
    options.timezone ?? (ask === null ? zone : await ask.askText('Time zone', { initial: zone, check: zoneFault }));
  return { time, timezone };
}
