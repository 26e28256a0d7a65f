import { z } from 'zod';
import { invalidInput, TidemarkError } from '../../base/errors.js';
import { readRunning, recordDays } from '../running-sandbox.js';
import { DAY_MS, utcDay } from '../../base/time/time.js';

const SandboxState = z.object({
  day: z.int(),
  date: z.iso.date(),
  companies: z.int(),
  quota: z.object({ dailyLimit: z.int(), used: z.int() }),
});
export type SandboxState = z.infer<typeof SandboxState>;

/**
 * Moves the market of the running sandbox to a later day, and the clock of the folder's commands and workers with it. A
 * new day also resets the sandbox's daily quota.
 * @param date YYYY-MM-DD; left out: the next day
 * @throws TidemarkError `InvalidInput` when no sandbox runs for this data folder, or when the date is in its past
 */
export async function moveSandbox(dataDir: string, date: string | undefined): Promise<SandboxState> {
  const running = readRunning(dataDir);
  if (running === null)
    throw invalidInput(
      `No sandbox runs for the data folder ${dataDir}.`,
      'Start one with `tidemark up --sandbox`, in another terminal.',
    );
  const now = await control(running.url, 'state');
  const advance = date === undefined ? 1 : Math.round((Date.parse(date) - Date.parse(now.date)) / DAY_MS);
  if (advance < 0)
    throw invalidInput(
      `The sandbox is already on ${now.date}, and its clock cannot go back to ${date}.`,
      'Give a later date, or start the sandbox again with another data folder.',
    );
  const moved = advance === 0 ? now : await control(running.url, 'day', { advance });
  const today = utcDay(new Date());
  await recordDays(dataDir, running, Math.round((Date.parse(moved.date) - Date.parse(today)) / DAY_MS));
  return moved;
}

async function control(url: string, route: string, body?: unknown): Promise<SandboxState> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/_sandbox/${route}`, body === undefined ? {} : post);
  if (!answer.ok)
    throw new TidemarkError('Internal', `The sandbox at ${url} answers ${answer.status}: ${await answer.text()}`, {
      todo: 'Stop `tidemark up` and start it again.',
    });
  return SandboxState.parse(await answer.json());
}
