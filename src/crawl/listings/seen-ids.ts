import { createHash } from 'node:crypto';

const FULLEST = 0.6;

/**
 * Counts the distinct ids of a long listing. Stores a 52-bit hash of each id in a hash table, with 13 to 27 bytes per
 * id.
 */
export class SeenIds {
  private table = new Float64Array(1_024);
  /** Number of distinct ids. */
  size = 0;

  add(id: string): void {
    if (!this.insert(this.table, hashOf(id))) return;
    this.size += 1;
    if (this.size < this.table.length * FULLEST) return;
    const larger = new Float64Array(this.table.length * 2);
    for (const hash of this.table) if (hash !== 0) this.insert(larger, hash);
    this.table = larger;
  }

  /** Adds a hash to a table. Returns false if the table already contains it. */
  private insert(table: Float64Array, hash: number): boolean {
    let at = hash % table.length;
    while (table[at] !== 0) {
      if (table[at] === hash) return false;
      at = (at + 1) % table.length;
    }
    table[at] = hash;
    return true;
  }
}

/** Returns a hash of an id: a number from 1 to 2^52. 0 marks an empty place in the table. */
function hashOf(id: string): number {
  const bytes = createHash('sha1').update(id).digest();
  return bytes.readUIntBE(0, 6) * 16 + (bytes[6]! & 15) + 1;
}
