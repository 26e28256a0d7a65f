import path from 'node:path';
import { errorMessage, TidemarkError } from '../base/errors.js';

/*
 * The only place that knows what an error of a disk means. Node and DuckDB report the same faults: Node by a code,
 * DuckDB only by its message, which often ends with the text of the system for that code.
 */

const AGAIN = 'Then run the command again; an open run continues by itself.';
const ELSEWHERE = 'or use a folder on another disk (for the data folder: `data` or TIDEMARK_DATA)';

/**
 * The faults of a disk. `codes`: those of Node. `text`: the texts of the system in DuckDB's messages. `what`: begin of the
 * message, before the file.
 */
const FAULTS = {
  // No space, quota used up, or a limit on the size of a file. DuckDB also reports a full disk as "out of memory", because
  // it cannot write temporary files then.
  full: {
    codes: ['ENOSPC', 'EDQUOT', 'EFBIG'],
    text: /no space left on device|disk quota exceeded|file too large|out of disk space|failed to offload data block|max_temp_directory_size/i,
    what: 'No space left to write',
    todo: 'Free space on that disk or move the data folder (TIDEMARK_DATA). No landed data is lost. An open run continues by itself; repeat a command.',
  },
  readOnly: {
    codes: ['EROFS'],
    text: /read-only file system/i,
    what: 'The disk is mounted read-only, so Tidemark cannot write',
    todo: `Mount it writable, ${ELSEWHERE}. ${AGAIN}`,
  },
  denied: {
    codes: ['EACCES', 'EPERM'],
    text: /permission denied|operation not permitted/i,
    what: 'This user has no permission for',
    todo: `Give the user of this process access (\`chown\`, \`chmod\`), or start the process as the owner of the file. ${AGAIN}`,
  },
  missing: {
    codes: ['ENOENT'],
    text: /no such file or directory/i,
    what: 'There is no',
    todo: `Check that the disk is mounted, and that no other program removes files. ${AGAIN}`,
  },
  wrongKind: {
    codes: ['EISDIR', 'ENOTDIR', 'ELOOP'],
    text: /is a directory|not a directory|too many levels of symbolic links/i,
    what: 'There is a folder instead of a file, or a file instead of a folder, at',
    todo: `Move it to another place. ${AGAIN}`,
  },
  tooManyOpen: {
    codes: ['EMFILE', 'ENFILE'],
    text: /too many open files/i,
    what: 'This process has too many open files to open',
    todo: `Raise the limit (\`ulimit -n\`). ${AGAIN}`,
  },
  // The device or the network file system gives errors.
  failing: {
    codes: ['EIO', 'ENXIO', 'ENODEV', 'ESTALE', 'EREMOTEIO', 'EUCLEAN', 'ESHUTDOWN', 'ENOTCONN'],
    text: /input\/output error|i\/o error$|no such device|stale (nfs )?file handle|structure needs cleaning|transport endpoint/i,
    what: 'The disk reports an error for',
    todo: `Check the disk and its connection, for example with \`dmesg\`. ${AGAIN}`,
  },
};
const NAMES = Object.keys(FAULTS) as (keyof typeof FAULTS)[];

/** `damaged`: the file can be read, but its content is not what was written. */
export type DiskFault = keyof typeof FAULTS | 'damaged';

/** What an error of a disk means. `place`: the file or folder, if the error names one. */
export interface DiskProblem {
  fault: DiskFault;
  place: string | undefined;
}

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
    const fault = NAMES.find((name) => FAULTS[name].codes.includes(code));
    return fault && { fault, place };
  }
  if (FAULTS.full.text.test(message)) return { fault: 'full', place };
  if (!OF_FILES.test(message)) return undefined;
  // A message about damage may end with a text of the system, so look for damage first.
  if (DAMAGED.test(message)) return { fault: 'damaged', place: place?.replace(/\.wal$/, '') };
  const fault = NAMES.find((name) => FAULTS[name].text.test(message));
  return fault && { fault, place };
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
  const system = findSystemError(error);
  const { code, syscall } = system;
  // An error of a program that cannot be started names the program.
  const named = syscall?.startsWith('spawn') ? undefined : system.path;
  const problem = classifyDiskError({ code, message: error.message, path: named });
  if (problem === undefined || unchanged.includes(problem.fault)) return error;
  const { fault } = problem;
  const place = problem.place ?? file;
  if (place === undefined) return error;
  if (fault === 'damaged') return new DamagedFileError(place, error);
  const { what, todo } = FAULTS[fault];
  // The caller knows the file that it writes; Node may name a temporary one.
  const shown = code === undefined ? place : (file ?? place);
  const detail = firstLine((syscall === undefined ? error : system).message);
  return new TidemarkError(fault === 'full' ? 'DiskFull' : 'DiskUnusable', `${what} ${shown}: ${detail}`, {
    todo,
    retryable: true,
    cause: error,
  });
}

/** Finds the system's error in a chain of causes. Errors of sockets name no path, so they are no errors of a disk. */
function findSystemError(error: Error): NodeJS.ErrnoException {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++)
    if ((e as NodeJS.ErrnoException).code !== undefined) return e;
  return error;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
