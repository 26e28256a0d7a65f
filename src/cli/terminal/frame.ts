import { visibleLine } from '../../base/text/visible-text.js';
import { createColors } from 'picocolors';
import { wrapWords } from '../../base/text/wrap.js';
import { cut } from '../../base/text/display-width.js';
import { formatCount, formatDuration, formatPercent, formatRate } from '../../../schemas/format.js';
import { remainingMs, type RunState, type StepState } from '../../temporal/runs/run-state.js';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR = 24;

/** Options of `renderFrame`. */
export interface FrameOptions {
  title: string;
  /** Width of the terminal in columns. Every line is cut to this width. */
  width: number;
  color: boolean;
  /** Number of the frame. It selects the picture of the spinner. */
  tick: number;
}

/** Renders a run for a terminal: a headline, one line for each step, then warnings. */
export function renderFrame(state: RunState, options: FrameOptions): string[] {
  const paint = createColors(options.color);
  const spinner = SPINNER[options.tick % SPINNER.length] ?? '';
  const nameWidth = Math.max(12, ...state.steps.map((step) => step.name.length));
  const facts = [phaseWords[state.phase], ...requestFacts(state), formatDuration(state.elapsed)];
  const head = {
    plain: `${options.title} · ${facts.join(' · ')}`,
    styled: `${paint.bold(options.title)} · ${facts.join(' · ')}`,
  };
  const lines = [head.plain.length <= options.width ? head.styled : cut(head.plain, options.width)];

  for (const step of state.steps) {
    const done = step.state === 'done';
    const label = `  ${done ? '✔' : spinner} ${step.name.padEnd(nameWidth)}  `;
    const text = stepText(step, options.width - label.length);
    lines.push((done ? paint.green(label) : paint.cyan(label)) + paintBar(text, paint));
  }
  if (AFTER_STEPS.has(state.phase)) lines.push(paint.cyan(cut(`  ${spinner} ${afterSteps(state)}`, options.width)));
  for (const warning of warningsOf(state)) {
    const words = wrapWords(warning, options.width - 4);
    lines.push(...words.map((line, i) => paint.yellow(cut(`${i === 0 ? '  ! ' : '    '}${line}`, options.width))));
  }
  return lines;
}

/** Renders a run as one log line: phase, running steps with their rates, requests, elapsed time. */
export function renderLine(state: RunState): string {
  const running = state.steps.filter((step) => step.state === 'running');
  const steps = running.map((step) =>
    [step.name, ...stepFacts(step), ...(step.about ? [`(${step.about})`] : [])].join(' '),
  );
  return [
    AFTER_STEPS.has(state.phase) ? afterSteps(state) : phaseWords[state.phase],
    ...steps,
    ...requestFacts(state),
    formatDuration(state.elapsed),
  ].join(' · ');
}

function requestFacts({ requests, slowed }: RunState): string[] {
  return [`${formatCount(requests)} requests`, ...slowed.map(visibleLine)];
}

/** Renders a phase after the last step: `building the models  13 of 48  core.companies`. */
function afterSteps({ phase, table }: RunState): string {
  const words = phaseWords[phase];
  return table === null
    ? words
    : `${words}  ${formatCount(table.done + 1)} of ${formatCount(table.total)}  ${visibleLine(table.name)}`;
}

/** Lists the warnings for the operator: no worker, waiting for quota, paused, stopping, retries, notes of the run. */
export function warningsOf(state: RunState): string[] {
  const waiting =
    state.phase === 'waiting-for-quota'
      ? [quotaInWords(state.waiting)]
      : state.phase === 'paused'
        ? ['The run is paused. Continue it with `tidemark resume` or the signal "resume" in the Temporal UI.']
        : state.phase === 'stopping'
          ? ['The run ends after the requests in flight. The fetched records are kept.']
          : [];
  const idle = state.workers ? [] : ['No worker is running. Start one with `tidemark worker`.'];
  const retries = state.retries.map(
    ({ activity, attempt, message }) => `${activity}: attempt ${attempt} failed, Temporal retries: ${message}`,
  );
  return [...idle, ...waiting, ...[...retries, ...state.notes].map(oneLine)];
}

function quotaInWords(waiting: RunState['waiting']): string {
  const why = waiting ?? 'The daily limit of the API is reached. The run checks the quota regularly.';
  return `${why} The run then continues by itself.`;
}

const phaseWords: Record<RunState['phase'], string> = {
  opening: 'opening',
  crawling: 'crawling',
  'waiting-for-quota': 'waiting for quota',
  paused: 'paused',
  stopping: 'stopping',
  loading: 'loading the warehouse',
  modelling: 'building the models',
  publishing: 'publishing',
  done: 'done',
};
const AFTER_STEPS: ReadonlySet<RunState['phase']> = new Set(['loading', 'modelling', 'publishing']);

function stepText(step: StepState, width: number): string {
  const facts = stepFacts(step).join('  ');
  const about = step.about ? `  (${step.about})` : '';
  if (step.state !== 'running' || step.total === null || step.total === 0) return cut(facts + about, width);
  // In a narrow terminal, show the numbers even if the rest does not fit: first drop the explanation, then the bar.
  if (width < BAR + 2 + facts.length) return cut(facts, width);
  const text = `${bar(step.done / step.total)}  ${facts}`;
  return width < text.length + about.length ? text : text + about;
}

function stepFacts(step: StepState): string[] {
  const counted =
    step.total === null
      ? step.done > 0
        ? [formatCount(step.done)]
        : []
      : [`${formatCount(step.done)}/${formatCount(step.total)}`];
  if (step.state === 'done' && step.total === 0) return ['nothing due'];
  if (step.state !== 'running') return counted;
  const left = remainingMs(step);
  return [
    ...counted,
    ...(step.total === null ? [] : [formatPercent(step.done, step.total)]),
    ...(step.rate === null ? [] : [formatRate(step.rate)]),
    ...(left === null ? [] : [`ETA ${formatDuration(left)}`]),
  ];
}

function bar(share: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}

function paintBar(text: string, paint: ReturnType<typeof createColors>): string {
  return text.replace(
    /^(█*)(░+)?/,
    (_, full: string, rest: string | undefined) => paint.green(full) + paint.dim(rest ?? ''),
  );
}

function oneLine(text: string): string {
  return visibleLine(text).replaceAll(/\s+/g, ' ').trim();
}
