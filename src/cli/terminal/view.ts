import { renderFrame, renderLine, warningsOf } from './frame.js';
import type { ProgressView, RunState } from '../../temporal/runs/run-state.js';

const PLAIN_EVERY_MS = 5_000;
// While a run waits (no worker, no quota), write one line per minute, so that the user sees that it still waits.
const STILL_EVERY_MS = 60_000;

/** Creates a view on stderr, because stdout is for results. A terminal gets bars. Other outputs get plain lines. */
export function createProgressView(title: string, stream: NodeJS.WriteStream = process.stderr): ProgressView {
  return stream.isTTY && process.env['TERM'] !== 'dumb' ? terminalView(title, stream) : plainView(title, stream);
}

function terminalView(title: string, stream: NodeJS.WriteStream): ProgressView {
  const color = !process.env['NO_COLOR'];
  let drawn = 0;
  let tick = 0;
  let latest: RunState | null = null;
  const draw = (): void => {
    if (!latest) return;
    // Leave one line and one column free, because some terminals scroll or wrap at the edge.
    const room = Math.max(4, stream.rows - 1);
    const lines = renderFrame(latest, { title, width: Math.max(40, stream.columns) - 1, color, tick: tick++ }).slice(
      0,
      room,
    );
    const up = drawn > 0 ? `\x1b[${drawn}A` : '\x1b[?25l';
    stream.write(`${up}\r\x1b[J${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  // Draw at regular intervals, so that the spinner also moves while the run waits.
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
      // Write each warning once, because a log keeps all its lines.
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

/** Returns a text that changes whenever the run makes progress. */
function movedOf(state: RunState): string {
  const steps = state.steps.map(({ name, done, state: stepState }) => `${name} ${done} ${stepState}`);
  return [state.phase, state.requests, ...steps].join('\n');
}
