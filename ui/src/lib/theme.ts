export type Theme = 'system' | 'light' | 'dark';

const KEY = 'tidemark-theme';
export const THEME_CHANGED = 'tidemark-theme-changed';

/** Returns the theme that the user chose in this browser. */
export function savedTheme(): Theme {
  const saved = localStorage.getItem(KEY);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

/** Shows a theme, and keeps it for the next visit. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset['theme'] = isDark(theme) ? 'dark' : 'light';
  window.dispatchEvent(new Event(THEME_CHANGED));
}

/** Whether a theme is dark now. */
export function isDark(theme: Theme = savedTheme()): boolean {
  return theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}

/** Shows the chosen theme, and again when the colours of the system change. */
export function followTheme(): void {
  applyTheme(savedTheme());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => applyTheme(savedTheme()));
}
