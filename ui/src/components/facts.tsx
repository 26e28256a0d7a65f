import type { ComponentChildren, JSX } from 'preact';
import type { Cell } from '../../../schemas/explorer/api.js';
import { cell, NONE, webAddress } from '../lib/format.js';

/** A line of a list of facts. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A link to another site. An address that a browser must not open is plain text. */
export function WebLink({ address }: { address: Cell | undefined }): JSX.Element {
  const href = webAddress(address);
  if (href === null) return <>{cell(address) || NONE}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {cell(address)}
    </a>
  );
}
