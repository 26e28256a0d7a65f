import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS_PAGE, renderCommands } from '../docs/commands-page.js';

it('docs/commands.md has the help of every command (if not: npm run docs:commands)', async () => {
  expect(readFileSync(COMMANDS_PAGE, 'utf8')).toBe(await renderCommands());
});
