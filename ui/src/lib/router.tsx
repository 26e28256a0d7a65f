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

/** Changes parameters of the current address. Null removes a parameter. */
export function setParams(changes: Record<string, string | null>, options: { replace?: boolean } = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href !== location.href) go(`${url.pathname}${url.search}`, options);
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
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(href);
        window.scrollTo(0, 0);
      }}
    >
      {children}
    </a>
  );
}
