import type { JSX } from 'preact';
import type { Layout } from '../../lib/lineage.js';
import { Link } from '../../lib/router.js';

/** The graph of a lineage on a narrow screen: its layers one below the other, from the landed streams to the marts. */
export function LineageSteps({
  layout,
  start,
  address,
}: {
  layout: Layout;
  start: string;
  address: (name: string) => string | null;
}): JSX.Element {
  const layers = [...new Set(layout.nodes.map(({ layer }) => layer))].toSorted((a, b) => a - b);
  return (
    <ol class="lineage-steps" aria-label={`Steps of the lineage of ${start}`}>
      {layers.map((layer) => (
        <li key={layer}>
          <ul>
            {layout.nodes
              .filter((node) => node.layer === layer)
              .map(({ name }) => {
                const href = name === start ? null : address(name);
                return (
                  <li key={name} class={name === start ? 'chosen' : undefined}>
                    {href === null ? (
                      <code>{name}</code>
                    ) : (
                      <Link href={href}>
                        <code>{name}</code>
                      </Link>
                    )}
                  </li>
                );
              })}
          </ul>
        </li>
      ))}
    </ol>
  );
}
