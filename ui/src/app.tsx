import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { About } from '../../schemas/explorer/api.js';
import { Nothing } from './components/basics.js';
import { Header } from './components/header.js';
import { BUILD_SEEN } from './lib/api.js';
import { instant } from './lib/format.js';
import { Link, useLocation } from './lib/router.js';
import { useData, type Loading } from './lib/use-data.js';
import { useTitle } from './lib/use-title.js';
import { findView } from './views.js';
import { isUnpublished, Unpublished } from './views/unpublished.js';

/** The whole page: header, view and footer. */
export function App(): JSX.Element {
  const url = useLocation();
  const about = useAbout();
  const newer = useNewBuild(about.data?.build);
  const [epoch, setEpoch] = useState(0);
  const view = findView(url.pathname);
  const main = useRef<HTMLElement>(null);
  useTitle(view?.title ?? 'Not found');
  useFocusOnView(url.pathname, main);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header path={url.pathname} />
      {newer && (
        <p class="notice" role="status">
          A newer build was published. New requests already use it.{' '}
          <button
            type="button"
            onClick={() => {
              about.reload();
              setEpoch(epoch + 1);
            }}
          >
            Refresh this view
          </button>
        </p>
      )}
      <main id="content" tabIndex={-1} key={epoch} ref={main}>
        {isUnpublished(about.error) ? (
          <Unpublished error={about.error} />
        ) : view === undefined ? (
          <Nothing>
            There is no page at this address. <Link href="/">Search for a company</Link>
          </Nothing>
        ) : (
          view.render(url)
        )}
      </main>
      <footer>
        {about.data !== undefined && (
          <p>
            Tidemark {about.data.version} · data published {instant(about.data.built_at)} UTC · build{' '}
            <code>{about.data.build}</code> · <a href="/licences.txt">Licences</a>
          </p>
        )}
      </footer>
    </>
  );
}

/**
 * Puts the focus on the content when another view opens. What opened it may be gone, and then the keyboard would start
 * at the top of the page again.
 */
function useFocusOnView(path: string, main: { readonly current: HTMLElement | null }): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    // A view may have put the focus into its own input.
    if (main.current?.contains(document.activeElement)) return;
    main.current?.focus({ preventScroll: true });
  }, [path]);
}

/** Loads the build that answers. While there is none, asks again every 5 seconds. */
function useAbout(): Loading<About> {
  const [everyMs, setEveryMs] = useState<number>();
  const about = useData<About>('/api/v1/about', everyMs);
  const missing = isUnpublished(about.error);
  useEffect(() => setEveryMs(missing ? 5_000 : undefined), [missing]);
  return about;
}

/** Whether an answer came from another build than the one shown. */
function useNewBuild(shown: string | undefined): boolean {
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    const see = (event: Event): void => setSeen((event as CustomEvent<string>).detail);
    window.addEventListener(BUILD_SEEN, see);
    return () => window.removeEventListener(BUILD_SEEN, see);
  }, []);
  return shown !== undefined && seen !== undefined && seen !== shown;
}
