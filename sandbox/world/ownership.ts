import type { Context } from './context.js';
import { nameOfVersion } from './names.js';
import { fullNameOf, nationalityOf, peopleCountOf, personIdOf, PLACES } from './people.js';
import { TAG } from './tags.js';

/*
 * Owners of companies. A company has one to three holders: its own people, other companies, or unknown holders. A
 * company that is a holder has a lower index than the company that it holds, so every chain of holders ends. An unknown
 * holder stands for a foreign holding. A chain to it is unresolved until an enrichment job has asked the registries.
 */

interface Holder {
  share: number;
  kind: 'person' | 'company' | 'unknown';
  /** Number of the person, or index of the company, that is the holder. An arbitrary number for an unknown holder. */
  number: number;
}

/**
 * One chain of holders, from a company to a person or an unknown holder. `via` lists the names of the companies in
 * between, in this order. `share` is in percent.
 */
export interface Route {
  via: string[];
  share: number;
}

/** A person who owns a share of the company, directly or through other companies. */
export interface BeneficialOwner {
  person_id: string;
  name: string;
  nationality: string | null;
  /** Ownership in percent: the sum over all routes. */
  effective_ownership: number;
  routes: Route[];
}

/** The beneficial owners of a company, and the chains of holders that are not resolved. */
export interface Ownership {
  owners: BeneficialOwner[];
  /** Chains that end at an unknown holder. */
  unresolved: (Route & { holder: string })[];
}

const MAX_DEPTH = 6;

/**
 * Returns the owners whose share reaches a threshold in percent, largest share first.
 *
 * @param resolved If true, replaces each unknown holder with the person that the registry names as its owner
 */
export function ownershipOf(ctx: Context, index: number, threshold: number, resolved: boolean): Ownership {
  const owners = new Map<number, Route[]>();
  const unresolved: Ownership['unresolved'] = [];
  walk(index, 100, [], 0);
  return {
    owners: [...owners]
      .map(([number, routes]) => ({
        person_id: String(personIdOf(ctx, number)),
        name: fullNameOf(ctx, number),
        nationality: nationalityOf(ctx, number),
        effective_ownership: roundShare(routes.reduce((sum, { share }) => sum + share, 0)),
        routes: routes.map((route) => ({ ...route, share: roundShare(route.share) })),
      }))
      .filter(({ effective_ownership }) => effective_ownership >= threshold)
      .toSorted((a, b) => b.effective_ownership - a.effective_ownership || Number(a.person_id) - Number(b.person_id)),
    unresolved: unresolved
      .filter(({ share }) => share >= threshold)
      .map((route) => ({ ...route, share: roundShare(route.share) })),
  };

  function walk(company: number, share: number, via: string[], depth: number): void {
    for (const holder of holdersOf(ctx, company, depth)) {
      const held = (share * holder.share) / 100;
      if (holder.kind === 'person') {
        owners.set(holder.number, [...(owners.get(holder.number) ?? []), { via, share: held }]);
      } else if (holder.kind === 'company') {
        walk(holder.number, held, [...via, nameOfVersion(ctx, holder.number, 0)], depth + 1);
      } else if (resolved) {
        const number = foundBehind(ctx, holder.number);
        owners.set(number, [...(owners.get(number) ?? []), { via: [...via, holderName(holder.number)], share: held }]);
      } else {
        unresolved.push({ holder: holderName(holder.number), via, share: held });
      }
    }
  }
}

function holdersOf(ctx: Context, index: number, depth: number): Holder[] {
  const { dice } = ctx;
  const count = 1 + dice.below(3, TAG.ownership, index);
  const shares = [[100], [60, 40], [50, 30, 20]][count - 1]!;
  return shares.map((share, n) => {
    const draw = dice.unit(TAG.ownership, index, 10 + n);
    const salt = dice.draw(TAG.ownership, index, 20 + n);
    if (draw < 0.3 && index > 0 && depth < MAX_DEPTH) return { share, kind: 'company', number: salt % index };
    const people = peopleCountOf(ctx, index);
    if (draw < 0.88 && people > 0) return { share, kind: 'person', number: index * PLACES + (n % people) };
    return { share, kind: 'unknown', number: salt };
  });
}

/** Returns the number of the person that the registry names as the owner of an unknown holder. */
function foundBehind(ctx: Context, number: number): number {
  for (let index = number % ctx.options.companies; index >= 0; index--) {
    if (peopleCountOf(ctx, index) > 0) return index * PLACES;
  }
  return 0;
}

function holderName(number: number): string {
  return `Holding ${number.toString(36).toUpperCase()} (foreign register)`;
}

function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
