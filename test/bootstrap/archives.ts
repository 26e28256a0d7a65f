import { deflateRawSync, gzipSync } from 'node:zlib';

/** Makes a .tar.gz as GNU tar writes it, with one folder and the given files. */
export function makeTarGz(files: Record<string, Buffer | string>): Buffer {
  const entries = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [tarHeader(name, bytes.length, '0'), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([tarHeader('folder/', 0, '5'), ...entries, Buffer.alloc(1024)]));
}

function tarHeader(name: string, size: number, type: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000755\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write('ustar', 257);
  return header;
}

/** Makes a deflated .zip with the given files. It has no checksums: our reader uses lengths only. */
export function makeZip(files: Record<string, Buffer | string>): Buffer {
  const locals: Buffer[] = [];
  const records: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(8, 10);
    record.writeUInt32LE(packed.length, 20);
    record.writeUInt32LE(bytes.length, 24);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), packed);
    records.push(record, Buffer.from(name));
    at += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(Buffer.concat(records).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...records, end]);
}
