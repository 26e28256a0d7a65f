/** The entries of the navigation, in order. */
export const NAVIGATION: readonly (readonly [href: string, name: string])[] = [
  ['/', 'Companies'],
  ['/markets', 'Markets'],
  ['/operations', 'Operations'],
  ['/sql', 'SQL'],
];
