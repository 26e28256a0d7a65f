import { expect } from 'vitest';
import { indexOf } from '../../sandbox/world/membership.js';
import { ownershipOf, type Ownership } from '../../sandbox/world/ownership.js';
import type { Project } from './project.js';
import { truthOf, type MarketFlags } from './truth.js';

const THRESHOLD = 25;

/** The owners of every company with details, by company id. */
function ownersOf(flags: MarketFlags, day: number, resolved: boolean): [id: number, owners: Ownership][] {
  const world = truthOf(flags);
  return world
    .companyIds(day)
    .filter((id) => world.company(id, day) !== undefined)
    .map((id) => {
      const index = indexOf(world.ctx, id)!;
      const known = ownershipOf(world.ctx, index, THRESHOLD, false);
      // Only a company with an unresolved chain gets a job.
      return [id, resolved && known.unresolved.length > 0 ? ownershipOf(world.ctx, index, THRESHOLD, true) : known];
    });
}

/** Compares published owners row for row with the sandbox. */
export async function expectOwnersEqualTruth(
  project: Project,
  flags: MarketFlags,
  { day, resolved }: { day: number; resolved: boolean },
): Promise<void> {
  const told = ownersOf(flags, day, resolved);
  const flagsFound =
    'SELECT company_id::VARCHAR AS company, threshold, conclusive FROM core.owners ORDER BY company_id';
  expect(await project.query(flagsFound)).toEqual(
    told.map(([id, { unresolved }]) => ({
      company: String(id),
      threshold: THRESHOLD,
      conclusive: unresolved.length === 0,
    })),
  );
  const owners = `SELECT company_id::VARCHAR AS company, depth, owner_id AS id, owner_name AS name, country,
      effective_share AS share, is_natural_person AS person
    FROM marts.owners ORDER BY company_id, position`;
  expect(await project.query(owners)).toEqual(
    told.flatMap(([id, { owners: listed }]) =>
      listed.map((owner) => ({
        company: String(id),
        depth: 1,
        id: owner.person_id,
        name: owner.name,
        country: owner.nationality,
        share: owner.effective_ownership,
        person: true,
      })),
    ),
  );
}

/** Names of all owners. */
export function ownerMarkers(flags: MarketFlags, day: number): string[] {
  return ownersOf(flags, day, true).flatMap(([, { owners }]) => owners.map(({ name }) => name));
}

/** Number of companies with an unresolved chain of owners. */
export function inconclusiveOwners(flags: MarketFlags, day: number): number {
  return ownersOf(flags, day, false).filter(([, { unresolved }]) => unresolved.length > 0).length;
}
