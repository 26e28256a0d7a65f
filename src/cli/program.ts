import { Command } from 'commander';
import { version } from '../base/version.js';
import { configOption } from './context.js';
import { HELP, writeHelp } from './terminal/help.js';
import { rememberCall } from '../base/text/pasteable.js';

type Register = (program: Command) => void;

/** The groups of `--help`, in its order. Each command has its name and what loads it. */
const COMMANDS: Record<string, Record<string, () => Promise<Register>>> = {
  'First run:': {
    demo: async () => (await import('./demo/demo.js')).registerDemo,
    init: async () => (await import('./init/init.js')).registerInit,
    login: async () => (await import('./login/login.js')).registerLogin,
    logout: async () => (await import('./login/login.js')).registerLogout,
    doctor: async () => (await import('./doctor/doctor.js')).registerDoctor,
    setup: async () => (await import('./worker/setup.js')).registerSetup,
    sandbox: async () => (await import('./local/sandbox.js')).registerSandbox,
  },
  'Run and follow:': {
    up: async () => (await import('./local/up.js')).registerUp,
    worker: async () => (await import('./worker/worker.js')).registerWorker,
    snapshot: async () => (await import('./runs/snapshot.js')).registerSnapshot,
    tenders: async () => (await import('./runs/tenders.js')).registerTenders,
    backfill: async () => (await import('./runs/backfill.js')).registerBackfill,
    status: async () => (await import('./status/status.js')).registerStatus,
    pause: async () => (await import('./steer/pause.js')).registerPause,
    resume: async () => (await import('./steer/resume.js')).registerResume,
    stop: async () => (await import('./steer/stop.js')).registerStop,
    concurrency: async () => (await import('./steer/concurrency.js')).registerConcurrency,
  },
  'Data:': {
    sql: async () => (await import('./sql.js')).registerSql,
    files: async () => (await import('./copied/files.js')).registerFiles,
    diff: async () => (await import('./diff/diff.js')).registerDiff,
    report: async () => (await import('./report.js')).registerReport,
    runs: async () => (await import('./runs/runs.js')).registerRuns,
    coverage: async () => (await import('./coverage/coverage.js')).registerCoverage,
    rejects: async () => (await import('./rejects.js')).registerRejects,
    resolve: async () => (await import('./lists/resolve.js')).registerResolve,
    enrich: async () => (await import('./lists/enrich.js')).registerEnrich,
    owners: async () => (await import('./lists/owners.js')).registerOwners,
    payees: async () => (await import('./payees/payees.js')).registerPayees,
    ui: async () => (await import('./explorer/ui.js')).registerUi,
  },
  'Models:': {
    models: async () => (await import('./models/models.js')).registerModels,
  },
  'Schedules and watching:': {
    schedule: async () => (await import('./schedule/schedule.js')).registerSchedule,
    watch: async () => (await import('./watch/watch.js')).registerWatch,
    notify: async () => (await import('./notify.js')).registerNotify,
  },
  'Operate:': {
    health: async () => (await import('./status/health.js')).registerHealth,
    workers: async () => (await import('./worker/workers.js')).registerWorkers,
    upgrade: async () => (await import('./upgrade/upgrade.js')).registerUpgrade,
    quota: async () => (await import('./quota.js')).registerQuota,
    publish: async () => (await import('./publish.js')).registerPublish,
    replay: async () => (await import('./replay.js')).registerReplay,
    quarantine: async () => (await import('./quarantine.js')).registerQuarantine,
    compact: async () => (await import('./compact.js')).registerCompact,
    data: async () => (await import('./data/data.js')).registerData,
    forget: async () => (await import('./forget.js')).registerForget,
    completion: async () => (await import('./completion/completion.js')).registerCompletion,
  },
};

/**
 * Creates the command line. Loads only the command that `argv` calls, because loading all takes longer than most
 * commands. Loads all commands if `argv` calls none of them, such as for `--help` or a mistyped name.
 */
export async function createProgram(argv: readonly string[] = []): Promise<Command> {
  const program = new Command('tidemark')
    .description('Nightly market snapshots from the Company Data API into a DuckDB/Parquet warehouse')
    .version(version())
    .option('--config <file>', 'configuration file; default TIDEMARK_CONFIG, else tidemark.yaml')
    .configureHelp(HELP)
    .configureOutput({ writeOut: writeHelp })
    .showSuggestionAfterError()
    .showHelpAfterError('(--help lists all commands and options)')
    // Throw usage errors, so that they end with exit code 2 like all wrong input.
    .exitOverride();
  program.hook('preAction', (_program, command) => rememberCall({ config: configOption(command) }));
  for (const [group, loaders] of Object.entries(calledOrAll(argv))) {
    program.commandsGroup(group);
    for (const register of await Promise.all(Object.values(loaders).map((load) => load()))) register(program);
  }
  program.helpCommand('help [command]', 'show the help of a command');
  return program;
}

/** Returns the command that `argv` calls, in its group; all commands if it calls none. The version needs no command. */
function calledOrAll(argv: readonly string[]): typeof COMMANDS {
  if (argv[0] === '--version') return {};
  const called = argv.find((word, at) => !word.startsWith('-') && argv[at - 1] !== '--config') ?? '';
  for (const [group, loaders] of Object.entries(COMMANDS)) {
    const load = Object.hasOwn(loaders, called) ? loaders[called] : undefined;
    if (load !== undefined) return { [group]: { [called]: load } };
  }
  return COMMANDS;
}
