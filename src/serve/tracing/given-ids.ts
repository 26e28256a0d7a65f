import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace-base';

/** Generates random ids, except inside `use`. */
export class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: { trace: string; span: string } | null = null;

  /** Calls `work`, in which new spans get these ids. */
  use<T>(ids: { trace: string; span: string }, work: () => T): T {
    this.#given = ids;
    try {
      return work();
    } finally {
      this.#given = null;
    }
  }

  generateTraceId = (): string => this.#given?.trace ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#given?.span ?? this.#random.generateSpanId();
}
