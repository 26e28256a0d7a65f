import { isUtf8 } from 'node:buffer';
import { invalidInput } from '../errors.js';

const SAVE_AS_CSV = 'Save it as "CSV UTF-8" in the spreadsheet, or convert it to UTF-8.';

/**
 * Rejects a file that is not text. `todo` says how to correct it.
 * @throws TidemarkError `InvalidInput` with the actual type of the file, if its bytes show the type
 */
export function requireText(file: Buffer, name: string, todo = SAVE_AS_CSV): void {
  const starts = (...bytes: number[]): boolean => bytes.every((byte, i) => file[i] === byte);
  const wrong = (what: string) => invalidInput(`${name} is not UTF-8 text: ${what}.`, todo);
  if (starts(0x50, 0x4b, 3, 4)) throw wrong('it is a workbook or another ZIP file');
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) throw wrong('it begins like UTF-16');
  if (file.includes(0)) throw wrong('it holds zero bytes, as UTF-16 and binary files do');
  if (isUtf8(file)) return;
  throw wrong(`line ${lineOfFault(file)} has bytes of another encoding, such as Latin-1`);
}

function lineOfFault(file: Buffer): number {
  let line = 1;
  for (let at = 0; at < file.length; line++) {
    const end = file.indexOf('\n', at);
    const next = end === -1 ? file.length : end + 1;
    if (!isUtf8(file.subarray(at, next))) return line;
    at = next;
  }
  return line;
}
