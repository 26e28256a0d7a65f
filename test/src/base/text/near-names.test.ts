import { describe, expect, it } from 'vitest';
import { didYouMean, nearNames } from '../../../../src/base/text/near-names.js';

const COUNTRIES = [
  'Denmark',
  'Germany',
  "Côte d'Ivoire",
  'Korea, Republic of',
  "Korea, Democratic People's Republic of",
];

describe('near names', () => {
  it.each([
    ['Denmrak', ['Denmark']],
    ['denmark', ['Denmark']],
    ['GERMNY', ['Germany']],
    ['cote divoire', ["Côte d'Ivoire"]],
    ['Korea', ["Korea, Democratic People's Republic of", 'Korea, Republic of']],
    ['xyzzy', []],
    ['', []],
    ['—', []],
  ])('finds names near %j', (typed, near) => {
    expect(nearNames(typed, COUNTRIES)).toEqual(near);
  });

  it('suggests at most three names', () => {
    expect(nearNames('land', ['Iceland', 'Finland', 'Poland', 'Ireland', 'Thailand'])).toHaveLength(3);
  });

  it('writes no suggestion if no name is near', () => {
    expect([didYouMean('Denmrak', COUNTRIES), didYouMean('xyzzy', COUNTRIES)]).toEqual([
      ' Did you mean "Denmark"?',
      '',
    ]);
  });
});
