import { existsSync } from 'node:fs';
import path from 'node:path';

/** Path of a browser on this machine; undefined if there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const candidates = [
    process.env['CHROMIUM_PATH'] ?? '',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    ...['chromium', 'google-chrome'].flatMap((name) => folders.map((folder) => path.join(folder, name))),
  ];
  return candidates.find((file) => file !== '' && existsSync(file));
}
