import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from '../lib/router.js';
import { applyTheme, savedTheme, type Theme } from '../lib/theme.js';
import { NAVIGATION } from '../navigation.js';
import { CompanySearch } from './company-search.js';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System colours'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Name, navigation, search and theme. */
export function Header({ path }: { path: string }): JSX.Element {
  const [theme, setTheme] = useState<Theme>(savedTheme);
  const isCurrent = (href: string): boolean =>
    href === '/' ? path === '/' || path.startsWith('/compan') : path.startsWith(href.replace(/s$/, ''));
  return (
    <header class="top">
      <Link href="/" class="brand" aria-label="Tidemark, start page">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M4 21c4-6 8-6 12 0s8 6 12 0" />
        </svg>
        <span>Tidemark</span>
      </Link>
      <nav aria-label="Views">
        <ul>
          {NAVIGATION.map(([href, name]) => (
            <li key={href}>
              <Link href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {path !== '/' && <CompanySearch small />}
      <label class="theme">
        <span class="hidden">Colours</span>
        <select
          value={theme}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.value as Theme;
            setTheme(chosen);
            applyTheme(chosen);
          }}
        >
          {THEMES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </header>
  );
}
