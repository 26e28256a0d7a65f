import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { ROOT } from '../repo/project-files.js';

/** Makes a temporary folder that is removed after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tidemark-bootstrap-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** The URL of a module of `bootstrap/`, for scripts in other processes. */
export function bootstrapModule(name: string): string {
  return pathToFileURL(path.join(ROOT, 'bootstrap', name)).href;
}

export interface ScriptRun {
  child: ChildProcess;
  /** Resolves when the output so far contains the text. */
  says: (text: string) => Promise<void>;
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; output: string }>;
}

/** Runs module source in a separate Node process that is killed when the test ends. */
export function runScript(source: string, env: NodeJS.ProcessEnv = process.env): ScriptRun {
  return watch(
    spawn(process.execPath, ['--input-type=module', '--eval', source], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** Runs a Node script file, as `runScript` does. */
export function runFile(file: string, args: string[], env: NodeJS.ProcessEnv = process.env): ScriptRun {
  return watch(spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

function watch(child: ChildProcess): ScriptRun {
  onTestFinished(() => void child.kill()); // not SIGKILL: this lets it stop its own children first
  let output = '';
  let wake = (): void => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      wake();
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    wake();
    return { code: code as number | null, output };
  });
  const says = async (text: string): Promise<void> => {
    while (!output.includes(text)) {
      if (child.exitCode !== null) throw new Error(`ended without saying "${text}": ${output}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { child, says, ended };
}
