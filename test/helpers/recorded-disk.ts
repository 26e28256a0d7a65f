// Records what would survive a power cut. Every file operation really happens; a test file wraps Node's own modules:
//
//   vi.mock(import('node:fs'), async (original) => recordFs(await original()));
//   vi.mock(import('node:fs/promises'), async (original) => recordFsPromises(await original()));
//
// The disk keeps only what was fsynced: a file has the content of its last fsync, a folder the entries of its last fsync.
import type * as FsPromises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';

// Gets the real module. An import would get the wrapped one.
const fs = process.getBuiltinModule('node:fs');

/** A rename, link or symlink that gives a file its name. */
export interface Placement {
  /** The new name, relative to the watched folder. */
  to: string;
  /** Content that a power cut at this moment would lose. */
  lost: string[];
}

/** What is certainly on disk, by inode. */
const contents = new Map<number, string>();
const entries = new Map<number, Map<string, number>>();
let root = '';
let placements: Placement[] = [];
let look: (to: string) => void = () => undefined;

/**
 * Resets the record and watches this folder; its current content counts as lost.
 * @param onPlacement called just before a file gets its name
 */
export function watchDisk(folder: string, onPlacement: (to: string) => void = () => undefined): void {
  root = fs.realpathSync(folder);
  look = onPlacement;
  placements = [];
  contents.clear();
  entries.clear();
}

/** Names given so far, in order. */
export function listPlacements(): readonly Placement[] {
  return placements;
}

/** What a power cut now would lose of a file, link or folder and its content; one line each. */
export function findLost(file: string): string[] {
  const lost = fs.lstatSync(file).isSymbolicLink() ? findLost(fs.realpathSync(file)) : lostContent(file);
  for (let at = within(file); at !== root; at = path.dirname(at)) {
    if (!isEntrySafe(at)) lost.push(`name ${relative(at)}`);
  }
  return lost;
}

function lostContent(file: string): string[] {
  const stat = fs.lstatSync(file);
  if (stat.isSymbolicLink()) return [];
  if (!stat.isDirectory()) return contents.get(stat.ino) === hashOf(file) ? [] : [`content ${relative(file)}`];
  return fs.readdirSync(file).flatMap((name) => {
    const inside = path.join(file, name);
    return [...(isEntrySafe(inside) ? [] : [`name ${relative(inside)}`]), ...lostContent(inside)];
  });
}

function isEntrySafe(file: string): boolean {
  const folder = fs.statSync(path.dirname(file)).ino;
  return entries.get(folder)?.get(path.basename(file)) === fs.lstatSync(file).ino;
}

/** The path below the real root; a link in the last step is kept. */
function within(file: string): string {
  return path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
}

function relative(file: string): string {
  return path.relative(root, within(file)).replaceAll(path.sep, '/');
}

function hashOf(file: string): string {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}

/** Notes the state of a file or folder; the caller applies it after the fsync. */
function stateOf(file: string): () => void {
  const { ino } = fs.statSync(file);
  if (!fs.statSync(file).isDirectory()) {
    const hash = hashOf(file);
    return () => contents.set(ino, hash);
  }
  const names = new Map(fs.readdirSync(file).map((name) => [name, fs.lstatSync(path.join(file, name)).ino]));
  return () => entries.set(ino, names);
}

function place(from: string, to: string): void {
  if (root === '' || !path.resolve(to).startsWith(root)) return;
  // A new link makes its target visible, so the target must be durable.
  const target = fs.lstatSync(from).isSymbolicLink() ? path.resolve(path.dirname(to), fs.readlinkSync(from)) : null;
  placements.push({ to: relative(to), lost: target === null ? lostContent(from) : findLost(target) });
  look(relative(to));
}

/** `node:fs/promises` that records fsyncs, renames and links. */
export function recordFsPromises(original: typeof FsPromises): typeof FsPromises {
  const recorded = {
    ...original,
    async open(...args: Parameters<typeof original.open>): Promise<FileHandle> {
      const handle = await original.open(...args);
      const file = String(args[0]);
      for (const name of ['sync', 'datasync'] as const) {
        const sync = handle[name].bind(handle);
        handle[name] = async () => {
          // Data written during the fsync may miss it. Removed files do not matter.
          const apply = fs.existsSync(file) ? stateOf(file) : () => undefined;
          await sync();
          apply();
        };
      }
      return handle;
    },
    async rename(...[from, to]: Parameters<typeof original.rename>): Promise<void> {
      place(String(from), String(to));
      await original.rename(from, to);
    },
    async link(...[from, to]: Parameters<typeof original.link>): Promise<void> {
      place(String(from), String(to));
      await original.link(from, to);
    },
  };
  return { ...recorded, default: recorded } as unknown as typeof FsPromises;
}

/** `node:fs` that records written files that are flushed, renames and links. */
export function recordFs(original: typeof fs): typeof fs {
  const recorded = {
    ...original,
    writeFileSync(...args: Parameters<typeof fs.writeFileSync>): void {
      original.writeFileSync(...args);
      const [file, , options] = args;
      if (typeof options === 'object' && options?.flush === true) stateOf(String(file))();
    },
    renameSync(...[from, to]: Parameters<typeof fs.renameSync>): void {
      // If `from` does not exist, there is nothing to record: the rename below fails.
      if (fs.lstatSync(from, { throwIfNoEntry: false }) !== undefined) place(String(from), String(to));
      original.renameSync(from, to);
    },
  };
  return { ...recorded, default: recorded } as unknown as typeof fs;
}
