/** The entries of the navigation, in order. */
export const NAVIGATION: readonly (readonly [href: string, name: string])[] = [
  ['/', 'Companies'],
  ['/markets', 'Markets'],
  ['/tenders', 'Tenders'],
  ['/operations', 'Operations'],
  ['/tables', 'Dictionary'],
  ['/sql', 'SQL'],
];
