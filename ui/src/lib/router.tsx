import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useExport } from './export.js';

const MOVED = 'tidemark-moved';

/** Opens an address of the explorer without loading the page again. */
export function go(href: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  window.dispatchEvent(new Event(MOVED));
}

/** Returns the current address, and renders again when it changes. */
export function useLocation(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const read = (): void => setHref(location.href);
    window.addEventListener('popstate', read);
    window.addEventListener(MOVED, read);
    return () => {
      window.removeEventListener('popstate', read);
      window.removeEventListener(MOVED, read);
    };
  }, []);
  return new URL(href);
}

/** Returns the current address with other parameters. Null or an empty text removes a parameter. */
export function withParams(changes: Record<string, string | null>): string {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return `${url.pathname}${url.search}`;
}

/** Changes parameters of the current address. Null or an empty text removes a parameter. */
export function setParams(changes: Record<string, string | null>, options: { replace?: boolean } = {}): void {
  const href = withParams(changes);
  if (href !== `${location.pathname}${location.search}`) go(href, options);
}

/** Calls `open` instead of the browser, unless the click asks for a new tab, a new window or a download. */
export function onPlainClick(event: MouseEvent, open: () => void): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open();
}

/** A link within the explorer. An export shows only its text. */
export function Link({
  href,
  children,
  ...rest
}: { href: string; children: ComponentChildren } & Omit<JSX.IntrinsicElements['a'], 'href' | 'children'>): JSX.Element {
  const exported = useExport();
  if (exported !== null) return <>{children}</>;
  return (
    <a
      href={href}
      {...rest}
      onClick={(event) =>
        onPlainClick(event, () => {
          go(href);
          window.scrollTo(0, 0);
        })
      }
    >
      {children}
    </a>
  );
}
