import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './basics.js';

/** Loads the code of a component when it is shown first. */
export function lazy<P extends object>(load: () => Promise<FunctionComponent<P>>): (props: P) => JSX.Element {
  let known: FunctionComponent<P> | undefined;
  return (props) => {
    const [Loaded, setLoaded] = useState<FunctionComponent<P> | undefined>(() => known);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (Loaded !== undefined) return;
      const show = async (): Promise<void> => {
        try {
          known = await load();
          setLoaded(() => known);
        } catch (reason) {
          setError(reason as Error);
        }
      };
      void show();
    }, []);
    if (error !== undefined) return <Failure error={error} />;
    return Loaded === undefined ? <p class="loading">Loading …</p> : <Loaded {...props} />;
  };
}
