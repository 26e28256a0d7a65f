import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GROUPS, shownDefault, switchList } from '../../sandbox/switches.js';

/* Writes the section "Switches" of the sandbox's README: `npm run sandbox:readme`. */

export const README = fileURLToPath(new URL('../../sandbox/README.md', import.meta.url));

const SECTION = /(<!-- switches: npm run sandbox:readme -->\n)[\s\S]*?(\n<!-- end of switches -->)/;

/** Returns the README with the section as the table of switches says; unchanged when the section is up to date. */
export function withSwitches(readme: string): string {
  if (!SECTION.test(readme)) throw new Error('sandbox/README.md has no section of switches');
  return readme.replace(SECTION, (_all, begin: string, end: string) => `${begin}\n${tables()}\n${end}`);
}

function tables(): string {
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const rows = switchList()
      .filter((one) => one.group === group)
      .map((one) => {
        const shown = shownDefault(one);
        return `| \`${one.flag}\` | ${shown === null ? '' : `\`${shown}\``} | ${one.description} |`;
      });
    return `**${title}**\n\n| flag | default | effect |\n| --- | --- | --- |\n${rows.join('\n')}`;
  });
  return groups.join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(README, withSwitches(readFileSync(README, 'utf8')));
}
