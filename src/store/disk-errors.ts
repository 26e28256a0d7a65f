import path from 'node:path';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import { errorMessage, TidemarkError } from '../base/errors.js';

/*
 * The only place that knows what an error of a disk means. Node and DuckDB report the same faults: Node by a code,
 * DuckDB only by its message, which often ends with the text of the system for that code.
 */

/**
 * - `full`: no space, quota used up, or a limit on the size of a file
 * - `readOnly`: the file system is mounted read-only
 * - `denied`: this user may not read or write the file
 * - `missing`: a file or folder does not exist
 * - `wrongKind`: a folder is where a file must be, or the other way round
 * - `tooManyOpen`: this process or machine has too many open files
 * - `failing`: the device or the network file system gives errors
 * - `damaged`: the file can be read, but its content is not what was written
 */
export type DiskFault =
  | 'full'
  | 'readOnly'
  | 'denied'
  | 'missing'
  | 'wrongKind'
  | 'tooManyOpen'
  | 'failing'
  | 'damaged';

/** What an error of a disk means. `place`: the file or folder, if the error names one. */
export interface DiskProblem {
  fault: DiskFault;
  place: string | undefined;
}

// DuckDB also reports a full disk as "out of memory", because it cannot write temporary files then.
const FULL =
  /no space left on device|disk quota exceeded|file too large|out of disk space|failed to offload data block|max_temp_directory_size/i;

/** For each fault: codes of Node, and the texts of the system in DuckDB's messages. */
const SIGNS: [DiskFault, readonly string[], RegExp][] = [
  ['full', ['ENOSPC', 'EDQUOT', 'EFBIG'], FULL],
  ['readOnly', ['EROFS'], /read-only file system/i],
  ['denied', ['EACCES', 'EPERM'], /permission denied|operation not permitted/i],
  ['missing', ['ENOENT'], /no such file or directory/i],
  ['wrongKind', ['EISDIR', 'ENOTDIR', 'ELOOP'], /is a directory|not a directory|too many levels of symbolic links/i],
  ['tooManyOpen', ['EMFILE', 'ENFILE'], /too many open files/i],
  [
    'failing',
    ['EIO', 'ENXIO', 'ENODEV', 'ESTALE', 'EREMOTEIO', 'EUCLEAN', 'ESHUTDOWN', 'ENOTCONN'],
    /input\/output error|i\/o error$|no such device|stale (nfs )?file handle|structure needs cleaning|transport endpoint/i,
  ],
];

// Only these kinds of DuckDB's errors speak about files. Others may quote values of records.
const OF_FILES = /^(?:IO|Serialization|INTERNAL|FATAL|TransactionContext|Transaction|Catalog|Permission) Error:/m;
const DAMAGED =
  /corrupt|not a valid DuckDB database file|could not read enough bytes|failure while replaying|failed to deserialize|^Serialization Error:|failed to load metadata pointer|failed to read WAL of version|WAL .* does not match/im;

/**
 * Says what an error of Node's file functions or of DuckDB means. Pure: reads nothing but its arguments.
 * @param code Node's code, such as `EROFS`
 * @param path Node's path
 * @returns undefined if the error is about something else
 */
export function classifyDiskError({
  code,
  message,
  path: named,
}: {
  code?: string | undefined;
  message: string;
  path?: string | undefined;
}): DiskProblem | undefined {
  const place = named ?? /(?:file|directory|WAL file) "([^"]+)"/i.exec(message)?.[1];
  if (code !== undefined) {
    const sign = SIGNS.find(([, codes]) => codes.includes(code));
    return sign && { fault: sign[0], place };
  }
  if (FULL.test(message)) return { fault: 'full', place };
  if (!OF_FILES.test(message)) return undefined;
  // A message about damage may end with a text of the system, so look for damage first.
  if (DAMAGED.test(message)) return { fault: 'damaged', place: place?.replace(/\.wal$/, '') };
  const sign = SIGNS.find(([, , text]) => text.test(message));
  return sign && { fault: sign[0], place };
}

/**
 * The file of a warehouse, of a build or of another step cannot be read, because its content was changed outside of
 * Tidemark. `file` is that file.
 */
export class DamagedFileError extends TidemarkError {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    const repair = repairOf(file);
    super('DataDamaged', `${file} is damaged: ${firstLine(errorMessage(cause))}`, { ...repair, cause });
    this.file = file;
  }
}

/** How to make a damaged file again. `retryable`: the same step makes it again, if it is repeated. */
function repairOf(file: string): { todo: string; retryable: boolean } {
  const [name, folder] = [path.basename(file), path.basename(path.dirname(file))];
  if (name === 'tidemark.duckdb')
    return {
      todo: 'Run `tidemark replay`: it makes the warehouse again from the landing zone, without requests. A worker does so by itself. If this repeats, check the disk.',
      retryable: false,
    };
  if (name === 'market.duckdb')
    return {
      todo: 'Run `tidemark publish`: it makes a new build from the warehouse. If this repeats, check the disk.',
      retryable: false,
    };
  if (folder === 'env')
    return { todo: 'Build the dev environment again: `tidemark models apply --env <name>`.', retryable: false };
  return {
    todo: 'Run the command again, which writes this file again. If this repeats, check the disk.',
    retryable: true,
  };
}

const AGAIN = 'Then run the command again; an open run continues by itself.';
const ELSEWHERE = 'or use a folder on another disk (for the data folder: `data` or TIDEMARK_DATA)';

const WORDS: Record<Exclude<DiskFault, 'damaged'>, { type: ErrorType; what: string; todo: string }> = {
  full: {
    type: 'DiskFull',
    what: 'No space left to write',
    todo: 'Free space on that disk or move the data folder (TIDEMARK_DATA). No landed data is lost. An open run continues by itself; repeat a command.',
  },
  readOnly: {
    type: 'DiskUnusable',
    what: 'The disk is mounted read-only, so Tidemark cannot write',
    todo: `Mount it writable, ${ELSEWHERE}. ${AGAIN}`,
  },
  denied: {
    type: 'DiskUnusable',
    what: 'This user has no permission for',
    todo: `Give the user of this process access (\`chown\`, \`chmod\`), or start the process as the owner of the file. ${AGAIN}`,
  },
  missing: {
    type: 'DiskUnusable',
    what: 'There is no',
    todo: `Check that the disk is mounted, and that no other program removes files. ${AGAIN}`,
  },
  wrongKind: {
    type: 'DiskUnusable',
    what: 'There is a folder instead of a file, or a file instead of a folder, at',
    todo: `Move it to another place. ${AGAIN}`,
  },
  tooManyOpen: {
    type: 'DiskUnusable',
    what: 'This process has too many open files to open',
    todo: `Raise the limit (\`ulimit -n\`). ${AGAIN}`,
  },
  failing: {
    type: 'DiskUnusable',
    what: 'The disk reports an error for',
    todo: `Check the disk and its connection, for example with \`dmesg\`. ${AGAIN}`,
  },
};

/**
 * Converts an error of a disk to a TidemarkError with cause, place and remedy. Returns any other error unchanged, and
 * also that of a missing file, because callers expect it.
 * @param file place to name if the error names none. A damaged file is this one, unless the error names another
 */
export function asDiskError(error: unknown, file?: string): unknown {
  return convert(error, file, ['missing']);
}

/** As `asDiskError`, for an error that nobody expected. Also converts that of a missing file. */
export function describeDiskError(error: unknown): unknown {
  return convert(error, undefined, []);
}

function convert(error: unknown, file: string | undefined, unchanged: readonly DiskFault[]): unknown {
  if (error instanceof TidemarkError || !(error instanceof Error)) return error;
  const { code, path: named, syscall } = findSystemError(error);
  const problem = classifyDiskError({ code, message: error.message, path: named });
  if (problem === undefined || unchanged.includes(problem.fault)) return error;
  const { fault } = problem;
  const place = problem.place ?? file;
  if (place === undefined) return error;
  if (fault === 'damaged') return new DamagedFileError(place, error);
  const { type, what, todo } = WORDS[fault];
  // The caller knows the file that it writes; Node may name a temporary one.
  const shown = code === undefined ? place : (file ?? place);
  const detail = syscall === undefined ? firstLine(error.message) : firstLine(findSystemError(error).message);
  return new TidemarkError(type, `${what} ${shown}: ${detail}`, { todo, retryable: true, cause: error });
}

interface SystemError {
  code?: string | undefined;
  path?: string | undefined;
  syscall?: string | undefined;
  message: string;
}

/**
 * Finds the system's error in a chain of causes. Errors of sockets name no path, so they are no errors of a disk. Those
 * of a program that cannot be started name the program.
 */
function findSystemError(error: Error): SystemError {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    const { code, path: named, syscall, message } = e as NodeJS.ErrnoException;
    if (code !== undefined) return { code, path: syscall?.startsWith('spawn') ? undefined : named, syscall, message };
  }
  return { message: error.message };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
