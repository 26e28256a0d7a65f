import { readType, holds, INDICATOR_KINDS } from './types.js';

/**
 * Records what answers contained, by field (`Record.field`): a value of its type, null, nothing or something else. Also
 * records fields that the reference does not name.
 */
export class Observed {
  readonly filled = new Set<string>();
  readonly nulls = new Set<string>();
  readonly absent = new Set<string>();
  readonly misfits = new Set<string>();
  readonly unnamed = new Set<string>();

  /** Records a value of a type; `at` names it in reports. */
  take(type: string, value: unknown, at: string): this {
    const shape = readType(type);
    if (!holds(type, value)) {
      this.misfits.add(`${at}: ${JSON.stringify(value)?.slice(0, 60)} is no ${type}`);
    } else if (shape.kind === 'record') {
      this.#takeRecord(shape.name.replace(/ of .*/, ''), shape.fields, value as Record<string, unknown>);
    } else if (shape.kind === 'array') {
      for (const item of value as unknown[]) this.take(shape.of, item, at);
    } else if (shape.kind === 'object') {
      for (const item of Object.values(value as object)) this.take(shape.of, item, at);
    } else if (shape.kind === 'union') {
      this.take(
        shape.of.find((member) => holds(member, value))!,
        value,
        at,
      );
    } else if (type === 'Financial year') {
      this.#takeYear(value as Record<string, unknown>);
    }
    return this;
  }

  #takeRecord(name: string, fields: Record<string, string>, value: Record<string, unknown>): void {
    for (const key of Object.keys(value)) if (!Object.hasOwn(fields, key)) this.unnamed.add(`${name}.${key}`);
    for (const [key, type] of Object.entries(fields)) {
      const at = `${name}.${key}`;
      if (value[key] === undefined) this.absent.add(at);
      else if (value[key] === null) this.nulls.add(at);
      else this.take(type, value[key], at).filled.add(at);
    }
  }

  #takeYear(year: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(year)) {
      const kind = INDICATOR_KINDS.get(name);
      const at = `Financial year.${name}`;
      if (kind === undefined) this.unnamed.add(at);
      else if (value === null) this.nulls.add(at);
      else if (kind === 'double' ? Number.isFinite(value) : holds(kind, value)) this.filled.add(at);
      else this.misfits.add(`${at}: ${typeof value}`);
    }
  }
}
