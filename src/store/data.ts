import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { writeFileOnce } from './files.js';

/** A file that another machine has given: its path here, and its size. */
export interface Listed {
  file: string;
  bytes: number;
}

/**
 * The data of this machine: files below a folder. If several machines share the data in a bucket, a step takes the files
 * that it reads, and gives the files that it made. `OwnFolder` holds the data itself, so it has nothing to take or give.
 */
export interface Data {
  /** The folder. With the data in a bucket, the working copy of this machine. */
  readonly dataDir: string;

  /** Takes the current content of a small file. Keeps the file here if no machine has given one. */
  take(file: string): Promise<void>;

  /**
   * Takes the current content of a small file that may change. Removes the file here if it is gone.
   * @returns whether there is such a file
   */
  refresh(file: string): Promise<boolean>;

  /** Takes the current content of all small files in a folder. Removes those of `here` that are gone. */
  refreshFolder(folder: string, here: readonly string[]): Promise<void>;

  /** Gives the current content of a file that may change. If several machines give it, the last one wins. */
  give(file: string): Promise<void>;

  /**
   * Writes a file and gives it, unless it exists already. Of several processes and machines, the first one wins, and all
   * others have its file afterwards.
   * @returns whether the file has this content
   */
  claim(file: string, content: string | Uint8Array): Promise<boolean>;

  /** Removes a file, for all machines. Does nothing if there is none. */
  remove(file: string): Promise<void>;

  /** Lists the files that machines have given below a folder. None if the folder itself holds the data. */
  listGiven(folder: string): Promise<Listed[]>;
}

/** The data in a folder that holds all of it. */
export class OwnFolder implements Data {
  readonly dataDir: string;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  async take(): Promise<void> {}

  async refresh(file: string): Promise<boolean> {
    return existsSync(file);
  }

  async refreshFolder(): Promise<void> {}

  async give(): Promise<void> {}

  async claim(file: string, content: string | Uint8Array): Promise<boolean> {
    return writeFileOnce(file, content);
  }

  async remove(file: string): Promise<void> {
    await rm(file, { force: true });
  }

  async listGiven(): Promise<Listed[]> {
    return [];
  }
}
