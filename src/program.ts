import { Command } from 'commander';
import { registerBackfill } from './commands/snapshot/backfill.js';
import { registerConcurrency } from './commands/steer/concurrency.js';
import { registerCoverage } from './commands/coverage/coverage.js';
import { registerData } from './commands/data/data.js';
import { registerDiff } from './commands/diff/diff.js';
import { registerDemo } from './commands/demo/demo.js';
import { registerDoctor } from './commands/doctor/doctor.js';
import { registerFiles } from './commands/copied/files.js';
import { registerForget } from './commands/forget.js';
import { registerHealth } from './commands/health.js';
import { registerInit } from './commands/init/init.js';
import { registerLogin, registerLogout } from './commands/login/login.js';
import { registerModels } from './commands/models/models.js';
import { registerNotify } from './commands/notify/notify.js';
import { registerPayees } from './commands/payees/payees.js';
import { registerPause } from './commands/steer/pause.js';
import { registerEnrich } from './commands/enrich.js';
import { registerOwners } from './commands/owners.js';
import { registerQuota } from './commands/quota.js';
import { registerRejects } from './commands/rejects.js';
import { registerCompletion } from './commands/completion/completion.js';
import { registerQuarantine } from './commands/quarantine.js';
import { registerCompact } from './commands/compact.js';
import { registerPublish } from './commands/publish.js';
import { registerReplay } from './commands/replay.js';
import { registerReport } from './commands/report.js';
import { registerResolve } from './commands/resolve.js';
import { registerResume } from './commands/steer/resume.js';
import { registerRuns } from './commands/runs.js';
import { registerSandbox } from './commands/sandbox.js';
import { registerSchedule } from './commands/schedule/schedule.js';
import { registerSetup } from './commands/setup.js';
import { registerSnapshot } from './commands/snapshot/snapshot.js';
import { registerSql } from './commands/sql.js';
import { registerStatus } from './commands/status.js';
import { registerStop } from './commands/steer/stop.js';
import { registerTenders } from './commands/snapshot/tenders.js';
import { registerUp } from './commands/up.js';
import { registerUpgrade } from './commands/upgrade/upgrade.js';
import { registerWatch } from './commands/watch/watch.js';
import { registerWorker } from './commands/worker.js';
import { registerWorkers } from './commands/workers.js';
import { registerUi } from './commands/ui/ui.js';
import { version } from './base/version.js';
import { configOption } from './terminal/context.js';
import { HELP, writeHelp } from './terminal/help.js';
import { rememberCall } from './base/text/pasteable.js';

/** The groups of `--help` with their commands, in the order of the help. */
const COMMANDS: Record<string, readonly ((program: Command) => void)[]> = {
  'First run:': [
    registerDemo,
    registerInit,
    registerLogin,
    registerLogout,
    registerDoctor,
    registerSetup,
    registerSandbox,
  ],
  'Run and follow:': [
    registerUp,
    registerWorker,
    registerSnapshot,
    registerTenders,
    registerBackfill,
    registerStatus,
    registerPause,
    registerResume,
    registerStop,
    registerConcurrency,
  ],
  'Data:': [
    registerSql,
    registerFiles,
    registerDiff,
    registerReport,
    registerRuns,
    registerCoverage,
    registerRejects,
    registerResolve,
    registerEnrich,
    registerOwners,
    registerPayees,
    registerUi,
  ],
  'Models:': [registerModels],
  'Schedules and watching:': [registerSchedule, registerWatch, registerNotify],
  'Operate:': [
    registerHealth,
    registerWorkers,
    registerUpgrade,
    registerQuota,
    registerPublish,
    registerReplay,
    registerQuarantine,
    registerCompact,
    registerData,
    registerForget,
    registerCompletion,
  ],
};

/** Creates the command line. Each command loads its modules only when it runs, so that `--help` is fast. */
export function createProgram(): Command {
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
  for (const [group, registers] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const register of registers) register(program);
  }
  program.helpCommand('help [command]', 'show the help of a command');
  return program;
}
