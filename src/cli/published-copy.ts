import { formatBytes, formatCount } from '../../schemas/format.js';
import type { Data } from '../store/data.js';
import type { CopyConfig } from '../warehouse/builds/copy-published.js';
import type { Copied, CopyOptions } from '../warehouse/builds/copy-build.js';
import { say, tell } from './terminal/print.js';
import { FAILED } from './terminal/print-error.js';

/**
 * Copies the current build to `publish.to`, if it is set, and prints the result. A fault is printed and sets the exit
 * code, because the publication itself succeeded.
 */
export async function copyAndSay(
  { config, data }: { config: CopyConfig; data: Data },
  {
    what,
    json = false,
    ...rest
  }: { what: string; json?: boolean | undefined } & Partial<Pick<CopyOptions, 'check' | 'keepSeconds'>>,
): Promise<{ copied: Copied | null; copyFault: string | null }> {
  if (config.publish.to === undefined) return { copied: null, copyFault: null };
  const { copyPublished, describeFault } = await import('../warehouse/builds/copy-published.js');
  if (!json) tell(`Copying to ${config.publish.to} …`);
  try {
    const onWait = (holder: string): void => tell(`Waiting for ${holder}.`);
    const copied = (await copyPublished(config, data, { what, onWait, ...rest })) ?? null;
    if (copied !== null && !json) sayCopied(copied);
    if (copied?.pruneFault) process.exitCode = FAILED;
    return { copied, copyFault: null };
  } catch (error) {
    process.exitCode = FAILED;
    const copyFault = describeFault(config, error);
    tell(`✖ ${copyFault}`);
    return { copied: null, copyFault };
  }
}

function sayCopied({ to, build, sent, reused, faulty, removed, pruneFault }: Copied): void {
  say(`✔ ${to} has build ${build}`);
  if (faulty > 0) say(`  ${formatCount(faulty)} files were missing or damaged there`);
  if (sent.files > 0)
    say(`  ${formatCount(sent.files)} files (${formatBytes(sent.bytes)}) sent, ${formatCount(reused)} unchanged`);
  if (removed > 0) say(`  ${formatCount(removed)} files of old versions removed`);
  if (pruneFault !== null) say(`  ✖ old versions could not be removed: ${pruneFault}`);
}
