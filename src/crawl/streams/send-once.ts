import type { Data } from '../../store/data.js';
import { didNothing } from '../judge/kinds.js';

/**
 * Sends a request that costs money or starts something at the API. Before it is sent, a file records it, for all machines.
 * After a crash, the file shows that the API may have received a request whose answer is lost. If the API surely did
 * nothing, removes the file.
 * @param record content of the file, different from that of any other request
 * @returns the answer; undefined if the file exists already. Then sends nothing
 */
export async function sendOnce<T>(
  data: Data,
  file: string,
  record: string,
  send: () => Promise<T>,
): Promise<T | undefined> {
  if (!(await data.claim(file, record))) return undefined;
  try {
    return await send();
  } catch (error) {
    if (didNothing(error)) await data.remove(file);
    throw error;
  }
}
