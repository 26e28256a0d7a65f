import { renderFrame, renderLine, warningsOf } from './frame.js';
import type { RunState } from './run-state.js';

/** Shows a followed run. `done` leaves the last state on the screen. */
export interface ProgressView {
  show(state: RunState): void;
  done(): void;
}

const PLAIN_EVERY_MS = 5_000;
// While nothing moves (no worker, no quota) a log need only show that it is still waiting.
const STILL_EVERY_MS = 60_000;

/** Bars in a terminal, a plain line every few seconds elsewhere, both on stderr: stdout belongs to results. */
export function createProgressView(title: string, stream: NodeJS.WriteStream = process.stderr): ProgressView {
  return stream.isTTY && process.env['TERM'] !== 'dumb' ? terminalView(title, stream) : plainView(title, stream);
}

/** Shows nothing; for `--json`. */
export const silentView: ProgressView = { show: () => undefined, done: () => undefined };

function terminalView(title: string, stream: NodeJS.WriteStream): ProgressView {
  const color = !process.env['NO_COLOR'];
  let drawn = 0;
  let tick = 0;
  let latest: RunState | null = null;
  const draw = (): void => {
    if (!latest) return;
    // One column is left free: writing into the last one makes some terminals wrap.
    const room = Math.max(4, stream.rows - 1);
    const lines = renderFrame(latest, { title, width: Math.max(40, stream.columns) - 1, color, tick: tick++ }).slice(
      0,
      room,
    );
    const up = drawn > 0 ? `\x1b[${drawn}A` : '\x1b[?25l';
    stream.write(`${up}\r\x1b[J${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  // The spinner turns on its own, so that a run that waits does not look like a dead terminal.
  const timer = setInterval(draw, 100);
  timer.unref();
  const showCursor = (): void => void stream.write('\x1b[?25h');
  process.once('exit', showCursor);
  return {
    show: (state) => {
      latest = state;
    },
    done: () => {
      clearInterval(timer);
      draw();
      showCursor();
      process.off('exit', showCursor);
    },
  };
}

function plainView(title: string, stream: NodeJS.WriteStream): ProgressView {
  const warned = new Set<string>();
  let last: { phase: string; moved: string; at: number } | null = null;
  let latest: RunState | null = null;
  const write = (state: RunState): void => {
    stream.write(`${title}: ${renderLine(state)}\n`);
    last = { phase: state.phase, moved: movedOf(state), at: Date.now() };
  };
  const isDue = (state: RunState): boolean => {
    if (last?.phase !== state.phase) return true;
    return Date.now() - last.at >= (last.moved === movedOf(state) ? STILL_EVERY_MS : PLAIN_EVERY_MS);
  };
  return {
    show: (state) => {
      latest = state;
      if (isDue(state)) write(state);
      // Each once: a log keeps what it said.
      for (const warning of warningsOf(state)) {
        if (!warned.has(warning)) stream.write(`${title}: ! ${warning}\n`);
        warned.add(warning);
      }
    },
    done: () => {
      if (latest && last?.moved !== movedOf(latest)) write(latest);
    },
  };
}

/** Changes whenever the run gets on. */
function movedOf(state: RunState): string {
  const steps = state.steps.map(({ name, done, state: stepState }) => `${name} ${done} ${stepState}`);
  return [state.phase, state.requests, ...steps].join('\n');
}
