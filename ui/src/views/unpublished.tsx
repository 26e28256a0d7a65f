import type { JSX } from 'preact';
import { RequestError } from '../lib/api.js';
import { Live } from './operations/live.js';

/** Whether an error says that no published build can be opened. */
export function isUnpublished(error: Error | undefined): error is RequestError {
  return error instanceof RequestError && error.status === 503;
}

/** What every address shows before the first build is published. */
export function Unpublished({ error }: { error: RequestError }): JSX.Element {
  return (
    <>
      <h1>Nothing is published yet</h1>
      <p class="about">The first run publishes a build. This page looks for it every 5 seconds. {error.message}</p>
      <p class="about">{error.todo}</p>
      <Live />
    </>
  );
}
