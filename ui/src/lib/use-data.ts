import { useEffect, useState } from 'preact/hooks';
import { request } from './api.js';

/** State of a request. While a new answer is awaited, `data` keeps the former one. */
export interface Loading<T> {
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
}

/**
 * Loads an address of the API, and loads it again when it changes.
 * @param path null loads nothing
 */
export function useData<T>(path: string | null, everyMs?: number): Loading<T> {
  const [state, setState] = useState<{ path: string | null; data?: T; error?: Error; loading: boolean }>({
    path: null,
    loading: path !== null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === null) return setState({ path: null, loading: false });
    const controller = new AbortController();
    // Loading the same address again keeps what is shown.
    setState((old) => ({ ...old, path, loading: old.path !== path || old.data === undefined }));
    request<T>(path, { signal: controller.signal }).then(
      (data) => setState({ path, data, loading: false }),
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ path, error: error as Error, loading: false });
      },
    );
    return () => controller.abort();
  }, [path, turn]);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && setTurn((n) => n + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  const { data, error, loading } = state;
  return { data, error, loading, reload: () => setTurn((n) => n + 1) };
}
