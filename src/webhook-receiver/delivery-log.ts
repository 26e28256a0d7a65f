import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import type { Clock } from '../core/clock.js';
import { landingDir, PartWriter, type NewRow, type PartTarget } from '../landing/index.js';

const STREAM = 'watch_events';
/** Deliveries of one part, and how long one is filled, so that a load soon sees what came. */
const MOST_ROWS = 1000;
const COMMIT_EVERY_MS = 60_000;

interface Waiting {
  row: NewRow;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Keeps deliveries as rows of the stream watch_events. What `keep` resolved for is on disk: in the chunk's spool, synced,
 * and at the latest after a minute in a part. Deliveries that come together share one sync.
 */
export class DeliveryLog {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #onCommit: (rows: number) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #waiting: Waiting[] = [];
  #target: PartTarget | undefined;
  #writer: PartWriter | undefined;
  #working: Promise<void> | undefined;
  #commitDue = false;

  private constructor(dataDir: string, clock: Clock, onCommit: (rows: number) => void, commitEveryMs: number) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    this.#onCommit = onCommit;
    this.#timer = setInterval(() => {
      this.#commitDue = true;
      this.#work();
    }, commitEveryMs);
    this.#timer.unref();
  }

  /**
   * Opens the log, and commits what a receiver that was killed left in its spools. One at a time per data folder.
   * @param onCommit told of each part: how many deliveries it holds
   */
  static async open(
    dataDir: string,
    clock: Clock,
    {
      onCommit = () => undefined,
      commitEveryMs = COMMIT_EVERY_MS,
    }: { onCommit?: (rows: number) => void; commitEveryMs?: number } = {},
  ): Promise<DeliveryLog> {
    for (const target of leftovers(dataDir)) {
      const manifest = await (await PartWriter.open(target)).commit();
      if (manifest) onCommit(manifest.rows);
    }
    return new DeliveryLog(dataDir, clock, onCommit, commitEveryMs);
  }

  /** Resolves once the delivery is on disk; rejects when it may not be. Kept twice, it is one event all the same. */
  keep(body: string, companyId: string | null): Promise<void> {
    const row: NewRow = {
      request_key: 'WEBHOOK /delivery',
      entity_id: companyId,
      segment: 'webhook',
      status: 200,
      fetched_at: this.#clock.now().toISOString(),
      body,
    };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      this.#work();
    });
  }

  /** Commits everything and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#commitDue = true;
    this.#work();
    while (this.#working) await this.#working;
  }

  #work(): void {
    this.#working ??= this.#drain().finally(() => {
      this.#working = undefined;
      // What was asked for while the last of it ended.
      if (this.#waiting.length > 0 || this.#commitDue) this.#work();
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        const writer = await this.#open();
        for (const { row } of group) await writer.append(row);
        await writer.sync();
        for (const { resolve } of group) resolve();
        if (writer.rows.length >= MOST_ROWS) await this.#commit();
      } catch (error) {
        await this.#abandon();
        for (const { reject } of group) reject(error);
      }
    }
    if (!this.#commitDue) return;
    this.#commitDue = false;
    // What fails to be committed lies in its spool, and is tried again with the next.
    await this.#commit().catch(() => this.#abandon());
  }

  /** The chunk under way: after a fault the same one again, with what lies in its spool. */
  async #open(): Promise<PartWriter> {
    this.#target ??= this.#nextTarget();
    this.#writer ??= await PartWriter.open(this.#target);
    return this.#writer;
  }

  async #abandon(): Promise<void> {
    await this.#writer?.close().catch(() => undefined);
    this.#writer = undefined;
  }

  async #commit(): Promise<void> {
    if (this.#target === undefined) return;
    const manifest = await (await this.#open()).commit();
    this.#target = undefined;
    this.#writer = undefined;
    if (manifest) this.#onCommit(manifest.rows);
  }

  #nextTarget(): PartTarget {
    const now = this.#clock.now().toISOString();
    // Unique whatever the clock says: a chunk of the same name would take the place of one that is committed.
    const chunk = `${now.replaceAll(/\D/g, '')}-${randomUUID().slice(0, 13)}`;
    return targetOf(this.#dataDir, now.slice(0, 10), chunk);
  }
}

function targetOf(dataDir: string, date: string, chunk: string): PartTarget {
  return { dataDir, stream: STREAM, run: WEBHOOK_RUN, date, market: null, chunk };
}

/** Chunks whose spools were left behind. */
function leftovers(dataDir: string): PartTarget[] {
  const root = path.join(landingDir(dataDir), STREAM);
  return names(root, /^date=(.+)$/).flatMap((date) =>
    names(path.join(root, `date=${date}`, `run=${WEBHOOK_RUN}`, '_spool'), /^part-(.+)\.ndjson$/).map((chunk) =>
      targetOf(dataDir, date, chunk),
    ),
  );
}

function names(folder: string, pattern: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => pattern.exec(name)?.[1] ?? []);
}
