import { useEffect } from 'preact/hooks';

/** Names the page in the tab of the browser. Null keeps the former name. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Tidemark`;
  }, [title]);
}
