import {
  DuckDBTypeId,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBListValue,
  type DuckDBMapValue,
  type DuckDBStructValue,
  type DuckDBType,
  type DuckDBUUIDValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import type { RowStream } from './stream-rows.js';

/**
 * Writes rows as Arrow IPC. Each chunk of rows becomes a record batch, and is written before the next chunk is read. So
 * the memory does not depend on the number of rows.
 * @param kind `file`: the file format, also known as Feather version 2; `stream`: the streaming format
 * @param sink takes the bytes; resolves when it accepts more. Nothing is written before the first rows are read
 * @throws RangeError when an integer has more than 38 digits
 */
export async function writeArrow(
  { columns, types, chunks }: RowStream,
  kind: 'file' | 'stream',
  sink: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const encoders = types.map(encoderOf);
  const schema = new arrow.Schema(columns.map((name, i) => new arrow.Field(name, encoders[i]!.type, true)));
  const type = new arrow.Struct(schema.fields);
  const writer = kind === 'file' ? new arrow.RecordBatchFileWriter() : new arrow.RecordBatchStreamWriter();
  const written = new Written();
  writer.reset(written, schema);
  try {
    for await (const rows of chunks) {
      const children = encoders.map(({ encode }, i) => encode(rows.map((row) => row[i] ?? null)));
      writer.write(new arrow.RecordBatch(schema, new arrow.Data(type, 0, rows.length, 0, {}, children)));
      await sink(written.take());
    }
  } catch (error) {
    // A reader takes the end of a stream between two batches for the end of the rows. So end within a batch.
    if (kind === 'stream') await sink(HALF_A_BATCH);
    throw error;
  }
  writer.finish();
  await sink(written.take());
}

/** The beginning of a message with one byte, without this byte. */
const HALF_A_BATCH = Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0]);

/** Holds what a writer wrote. The queue of the library itself does not tell when it is empty. */
class Written extends arrow.AsyncByteQueue {
  #pieces: Uint8Array[] = [];

  override write(piece: Uint8Array): void {
    this.#pieces.push(piece);
  }

  /** Returns the bytes since the last call. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return bytes;
  }
}

/** The Arrow type of a column, and the function that encodes some of its values. */
interface Encoder {
  type: arrow.DataType;
  encode: (values: readonly DuckDBValue[]) => arrow.Data;
}

const id = DuckDBTypeId;
const same = (value: number | bigint): number | bigint => value;
const inMicros = (value: { micros: bigint }): bigint => value.micros;
const inNanos = (value: { nanos: bigint }): bigint => value.nanos;

/** Types whose values are numbers in Arrow. */
const NUMBERS: Partial<Record<DuckDBTypeId, [type: arrow.DataType, toNumber: (value: never) => number | bigint]>> = {
  [id.TINYINT]: [new arrow.Int8(), same],
  [id.SMALLINT]: [new arrow.Int16(), same],
  [id.INTEGER]: [new arrow.Int32(), same],
  [id.BIGINT]: [new arrow.Int64(), same],
  [id.UTINYINT]: [new arrow.Uint8(), same],
  [id.USMALLINT]: [new arrow.Uint16(), same],
  [id.UINTEGER]: [new arrow.Uint32(), same],
  [id.UBIGINT]: [new arrow.Uint64(), same],
  [id.FLOAT]: [new arrow.Float32(), same],
  [id.DOUBLE]: [new arrow.Float64(), same],
  [id.DATE]: [new arrow.DateDay(), (value: DuckDBDateValue) => value.days],
  [id.TIME]: [new arrow.TimeMicrosecond(), inMicros],
  [id.TIME_NS]: [new arrow.TimeNanosecond(), inNanos],
  [id.TIMESTAMP]: [new arrow.TimestampMicrosecond(), inMicros],
  [id.TIMESTAMP_TZ]: [new arrow.TimestampMicrosecond('UTC'), inMicros],
  [id.TIMESTAMP_S]: [new arrow.TimestampSecond(), (value: { seconds: bigint }) => value.seconds],
  [id.TIMESTAMP_MS]: [new arrow.TimestampMillisecond(), (value: { millis: bigint }) => value.millis],
  [id.TIMESTAMP_NS]: [new arrow.TimestampNanosecond(), inNanos],
};

/** Returns the encoder for values of a DuckDB type. If Arrow lacks the type, values become text. */
function encoderOf(type: DuckDBType): Encoder {
  const number = NUMBERS[type.typeId];
  if (number !== undefined) return numbers(...number);
  switch (type.typeId) {
    case id.BOOLEAN:
      return booleans();
    case id.DECIMAL:
      return decimals(type.scale, type.width, (value: DuckDBDecimalValue) => value.value);
    case id.HUGEINT:
    case id.UHUGEINT:
      return decimals(0, MOST_DIGITS, (value: bigint) => value);
    case id.UUID:
      return uuids();
    case id.BLOB:
      return blobs();
    case id.LIST:
    case id.ARRAY:
      return lists(encoderOf(type.valueType));
    case id.STRUCT:
      return structs(type.entryNames, type.entryTypes.map(encoderOf));
    case id.MAP:
      return maps(encoderOf(type.keyType), encoderOf(type.valueType));
    default:
      return texts();
  }
}

function numbers(type: arrow.DataType, toNumber: (value: never) => number | bigint): Encoder {
  return fixed(type, (values) => {
    const data = new (type.ArrayType as new (length: number) => (number | bigint)[])(values.length);
    for (const [i, value] of values.entries()) if (value !== null) data[i] = toNumber(value as never);
    return data;
  });
}

function booleans(): Encoder {
  return fixed(new arrow.Bool(), (values) => bits(values, (value) => value === true));
}

const MOST_DIGITS = 38;
const TOO_LONG = 10n ** BigInt(MOST_DIGITS);

/** @param toInteger returns the value without its decimal point */
function decimals(scale: number, digits: number, toInteger: (value: never) => bigint): Encoder {
  return fixed(new arrow.Decimal(scale, digits, 128), (values) => {
    const data = new BigUint64Array(2 * values.length);
    for (const [i, value] of values.entries()) {
      const integer = value === null ? 0n : toInteger(value as never);
      if (integer >= TOO_LONG || integer <= -TOO_LONG)
        throw new RangeError(`${integer} does not fit DECIMAL(${MOST_DIGITS},0).`);
      data[2 * i] = BigInt.asUintN(64, integer);
      data[2 * i + 1] = BigInt.asUintN(64, integer >> 64n);
    }
    return new Uint32Array(data.buffer);
  });
}

const UUID_BYTES = 16;

function uuids(): Encoder {
  return fixed(new arrow.FixedSizeBinary(UUID_BYTES), (values) => {
    const hex = (values as (DuckDBUUIDValue | null)[]).map((value) => value?.toString().replaceAll('-', ''));
    return Buffer.from(hex.map((digits) => digits ?? '0'.repeat(2 * UUID_BYTES)).join(''), 'hex');
  });
}

/** Encodes values that have the same number of bytes each. */
function fixed(type: arrow.DataType, toData: (values: readonly DuckDBValue[]) => unknown): Encoder {
  return { type, encode: (values) => dataOf(type, values, { [arrow.BufferType.DATA]: toData(values) }) };
}

function texts(): Encoder {
  const type = new arrow.Utf8();
  return {
    type,
    encode(values) {
      const strings = values.map((value) => (value === null ? '' : String(value)));
      const offsets = offsetsOf(strings.map((text) => Buffer.byteLength(text)));
      return dataOf(type, values, { ...offsets, [arrow.BufferType.DATA]: Buffer.from(strings.join('')) });
    },
  };
}

function blobs(): Encoder {
  const type = new arrow.Binary();
  return {
    type,
    encode(values) {
      const pieces = (values as (DuckDBBlobValue | null)[]).map((value) => value?.bytes ?? new Uint8Array());
      const offsets = offsetsOf(pieces.map(({ length }) => length));
      return dataOf(type, values, { ...offsets, [arrow.BufferType.DATA]: Buffer.concat(pieces) });
    },
  };
}

function lists({ type: itemType, encode }: Encoder): Encoder {
  const type = new arrow.List(new arrow.Field('item', itemType, true));
  return {
    type,
    encode(values) {
      const items = (values as (DuckDBListValue | DuckDBArrayValue | null)[]).map((value) => value?.items ?? []);
      return dataOf(type, values, offsetsOf(items.map(({ length }) => length)), [encode(items.flat())]);
    },
  };
}

function structs(names: readonly string[], encoders: readonly Encoder[]): Encoder {
  const type = new arrow.Struct(names.map((name, i) => new arrow.Field(name, encoders[i]!.type, true)));
  return {
    type,
    encode(values) {
      const entries = (values as (DuckDBStructValue | null)[]).map((value) => value?.entries ?? {});
      const children = names.map((name, i) => encoders[i]!.encode(entries.map((entry) => entry[name] ?? null)));
      return dataOf(type, values, {}, children);
    },
  };
}

function maps(key: Encoder, value: Encoder): Encoder {
  const fields = [new arrow.Field('key', key.type, false), new arrow.Field('value', value.type, true)];
  const entry = new arrow.Struct<{ key: arrow.DataType; value: arrow.DataType }>(fields);
  const type = new arrow.Map_(new arrow.Field('entries', entry, false));
  return {
    type,
    encode(values) {
      const items = (values as (DuckDBMapValue | null)[]).map((map) => map?.entries ?? []);
      const entries = items.flat();
      const children = [key.encode(entries.map((one) => one.key)), value.encode(entries.map((one) => one.value))];
      const offsets = offsetsOf(items.map(({ length }) => length));
      return dataOf(type, values, offsets, [new arrow.Data(entry, 0, entries.length, 0, {}, children)]);
    },
  };
}

const MOST_IN_BATCH = 2 ** 31 - 1;

/** @throws RangeError when the values of one column and batch together have 2 GiB or more: Arrow counts with 32 bits */
function offsetsOf(lengths: readonly number[]): Record<number, Int32Array> {
  const offsets = new Int32Array(lengths.length + 1);
  let end = 0;
  for (const [i, length] of lengths.entries()) {
    end += length;
    if (end > MOST_IN_BATCH)
      throw new RangeError(`${lengths.length} rows have values of more than 2 GiB in one column.`);
    offsets[i + 1] = end;
  }
  return { [arrow.BufferType.OFFSET]: offsets };
}

/** Makes the data of a column, and marks which values are null. */
function dataOf(
  type: arrow.DataType,
  values: readonly DuckDBValue[],
  buffers: Record<number, unknown>,
  children: arrow.Data[] = [],
): arrow.Data {
  const nulls = values.filter((value) => value === null).length;
  const validity = nulls === 0 ? {} : { [arrow.BufferType.VALIDITY]: bits(values, (value) => value !== null) };
  const all = { ...buffers, ...validity } as ConstructorParameters<typeof arrow.Data>[4];
  return new arrow.Data(type, 0, values.length, nulls, all, children);
}

/** Packs one bit for each value. */
function bits(values: readonly DuckDBValue[], isSet: (value: DuckDBValue) => boolean): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (const [i, value] of values.entries()) if (isSet(value)) bytes[i >> 3]! |= 1 << (i & 7);
  return bytes;
}
