import { writeFileSync } from 'node:fs';
import { COMMANDS_PAGE, renderCommands } from './commands-page.js';

// `npm run docs:commands` writes docs/commands.md.
writeFileSync(COMMANDS_PAGE, await renderCommands());
