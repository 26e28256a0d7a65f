import type { Command } from 'commander';
import { examples } from '../context.js';
import { registerCheck } from './check.js';

/** `tidemark payees …`: know-your-payee checks. */
export function registerPayees(program: Command): void {
  const payees = program
    .command('payees')
    .description('check payees before you pay them')
    .addHelpText(
      'after',
      examples('tidemark payees check suppliers.csv --dry-run', 'tidemark payees check suppliers.csv'),
    );
  registerCheck(payees);
}
