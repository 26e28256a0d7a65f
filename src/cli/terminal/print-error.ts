import { describeDiskError } from '../../store/disk-errors.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { hideSecrets } from '../../config/secrets.js';
import { visibleText } from '../../base/text/visible-text.js';
import { describeServiceError } from '../../temporal/failure.js';
import { colorsFor, tell } from './print.js';

/** Exit code of a failed command. */
export const FAILED = 1;
/** Exit code for invalid input. */
export const USAGE = 2;

/**
 * Prints why a command failed, and the remedy. Prints the stack only if TIDEMARK_DEBUG is set.
 * @returns Exit code: 2 for invalid input, else 1
 */
export function printError(thrown: unknown): number {
  const error = describeDiskError(describeServiceError(thrown));
  const paint = colorsFor(process.stderr);
  const shown = (text: string): string => visibleText(hideSecrets(text));
  tell(`${paint.red('error:')} ${shown(errorMessage(error))}`);
  if (error instanceof TidemarkError)
    tell(
      shown(error.todo)
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n'),
    );
  else tell('  Tidemark does not know this error. Run the command again with TIDEMARK_DEBUG=1 for details.');
  if (process.env['TIDEMARK_DEBUG']) tell(shown(inspectChain(thrown)));
  return error instanceof TidemarkError && error.type === 'InvalidInput' ? USAGE : FAILED;
}

function inspectChain(error: unknown): string {
  const parts: string[] = [];
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth++)
    parts.push(e.stack ?? e.message);
  return parts.join('\ncaused by: ');
}
