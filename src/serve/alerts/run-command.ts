import { spawn } from 'node:child_process';
import { withoutSecrets } from '../../config/secret-variables.js';
import { renderPayload } from './payloads.js';
import { renderText, type Message } from './message.js';
import { TargetError } from './target-error.js';

/** A program that takes messages: as JSON on stdin, and as environment variables. */
export interface Program {
  /** Program and arguments. Runs without a shell. */
  command: readonly [string, ...string[]];
  /** Folder in which the program runs: that of tidemark.yaml. */
  folder: string;
  timeoutMs: number;
}

// Time from SIGTERM to SIGKILL.
const GRACE_MS = 2_000;
const QUOTED = 300;

/**
 * Runs a program for a message. Exit code 0 means that the program accepted the message. Ends the program and its
 * children after the time limit.
 * @throws TargetError for another exit code, a missing program, or after the time limit
 */
export async function runCommand({ command, folder, timeoutMs }: Program, message: Message): Promise<void> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...withoutSecrets(process.env), ...variablesOf(message) },
    stdio: ['pipe', 'ignore', 'pipe'],
    // Makes a process group, so that the time limit also ends the program's children.
    detached: true,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-QUOTED);
  });
  // A program may end without reading its input.
  child.stdin.on('error', () => undefined).end(`${JSON.stringify(renderPayload('json', message))}\n`);
  let late = false;
  const timers = [
    setTimeout(() => {
      late = true;
      endGroup(child.pid, 'SIGTERM');
    }, timeoutMs),
    setTimeout(() => {
      endGroup(child.pid, 'SIGKILL');
      // A child that left the group may still hold stderr open.
      child.stderr.destroy();
    }, timeoutMs + GRACE_MS),
  ];
  try {
    const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
      child.once('error', reject).once('close', (exit, by) => resolve({ code: exit, signal: by }));
    });
    const said = errors.trim().replaceAll(/\s+/g, ' ');
    if (late)
      throw new TargetError(`${program} did not end within ${timeoutMs / 1_000} s.`, {
        todo: 'Let the program end sooner, for example by starting a job in the background.',
      });
    if (code !== 0)
      throw new TargetError(
        `${program} ended with ${code === null ? signal : `exit code ${code}`}${said === '' ? '' : `: ${said}`}.`,
        { todo: 'Run the program by hand, with a message on stdin. Exit code 0 means that it accepted the message.' },
      );
  } catch (error) {
    throw error instanceof TargetError ? error : cannotStart(program, error);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

function cannotStart(program: string, error: unknown): TargetError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'ENOENT' ? 'not found' : code === 'EACCES' ? 'not executable' : message;
  return new TargetError(`${program} could not be started: ${why}.`, {
    todo: 'Check the path (relative to the folder of tidemark.yaml) and its permissions (chmod +x).',
    cause: error,
  });
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}

function variablesOf(message: Message): Record<string, string> {
  const { alert, key, link } = message;
  return {
    TIDEMARK_ALERT_KEY: key,
    TIDEMARK_ALERT_ID: alert.id,
    TIDEMARK_ALERT_CAUSE: alert.cause,
    TIDEMARK_ALERT_MARKET: alert.market ?? '',
    TIDEMARK_ALERT_DATE: alert.date,
    TIDEMARK_ALERT_TITLE: alert.title,
    TIDEMARK_ALERT_TEXT: renderText(message),
    TIDEMARK_ALERT_LINK: link ?? '',
  };
}
