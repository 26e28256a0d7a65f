import { Command } from 'commander';
import { registerBackfill } from './runs/backfill.js';
import { registerConcurrency } from './steer/concurrency.js';
import { registerCoverage } from './coverage/coverage.js';
import { registerData } from './data/data.js';
import { registerDiff } from './diff/diff.js';
import { registerDemo } from './demo/demo.js';
import { registerDoctor } from './doctor/doctor.js';
import { registerFiles } from './copied/files.js';
import { registerForget } from './forget.js';
import { registerHealth } from './status/health.js';
import { registerInit } from './init/init.js';
import { registerLogin, registerLogout } from './login/login.js';
import { registerModels } from './models/models.js';
import { registerNotify } from './notify.js';
import { registerPayees } from './payees/payees.js';
import { registerPause } from './steer/pause.js';
import { registerEnrich } from './lists/enrich.js';
import { registerOwners } from './lists/owners.js';
import { registerQuota } from './quota.js';
import { registerRejects } from './rejects.js';
import { registerCompletion } from './completion/completion.js';
import { registerQuarantine } from './quarantine.js';
import { registerCompact } from './compact.js';
import { registerPublish } from './publish.js';
import { registerReplay } from './replay.js';
import { registerReport } from './report.js';
import { registerResolve } from './lists/resolve.js';
import { registerResume } from './steer/resume.js';
import { registerRuns } from './runs/runs.js';
import { registerSandbox } from './local/sandbox.js';
import { registerSchedule } from './schedule/schedule.js';
import { registerSetup } from './worker/setup.js';
import { registerSnapshot } from './runs/snapshot.js';
import { registerSql } from './sql.js';
import { registerStatus } from './status/status.js';
import { registerStop } from './steer/stop.js';
import { registerTenders } from './runs/tenders.js';
import { registerUp } from './local/up.js';
import { registerUpgrade } from './upgrade/upgrade.js';
import { registerWatch } from './watch/watch.js';
import { registerWorker } from './worker/worker.js';
import { registerWorkers } from './worker/workers.js';
import { registerUi } from './explorer/ui.js';
import { version } from '../base/version.js';
import { configOption } from './context.js';
import { HELP, writeHelp } from './terminal/help.js';
import { rememberCall } from '../base/text/pasteable.js';

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
