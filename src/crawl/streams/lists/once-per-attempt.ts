import type { RunContext } from '../../../../schemas/pipeline/run.js';

/**
 * Makes a function that reads something only once in each attempt of an activity. All requests of an attempt share one
 * RunContext object.
 */
export function oncePerAttempt<Place, Read>(
  read: (place: Place, ctx: RunContext) => Read,
): (place: Place, ctx: RunContext) => Read {
  const known = new WeakMap<RunContext, Read>();
  return (place, ctx) => {
    const found = known.get(ctx) ?? read(place, ctx);
    known.set(ctx, found);
    return found;
  };
}
