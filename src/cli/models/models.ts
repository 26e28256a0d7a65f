import type { Command } from 'commander';
import { TidemarkError } from '../../base/errors.js';
import type { CaseResult } from '../../warehouse/models/cases/run-case.js';
import { examples, loadContext } from '../context.js';
import { FAILED } from '../terminal/print-error.js';
import { registerModelsApply } from './apply.js';
import { registerModelsDocs } from './docs.js';
import { registerModelsEnv } from './environments.js';
import { ownModels } from '../own-models.js';
import { colorsFor, say, sayJson, terminalWidth } from '../terminal/print.js';

/** `tidemark models …`: the SQL models of `sql/`. */
export function registerModels(program: Command): void {
  const models = program
    .command('models')
    .summary('plan, test, apply or roll back SQL models')
    .description('SQL models: plan, test, try, apply or roll back a change; write the data dictionary')
    .addHelpText(
      'after',
      examples(
        'tidemark models plan',
        'tidemark models test',
        'tidemark models apply --env me && tidemark models diff --env me',
        'tidemark models apply',
        'tidemark models rollback',
      ),
    );

  models
    .command('plan')
    .summary('show what the next build changes; changes nothing')
    .description('show what `models apply` or the next run will change in the warehouse; does not change anything')
    .option('--json', 'print the plan as JSON, including unchanged models')
    .addHelpText(
      'after',
      `
A change is breaking if it removes a column, or changes a column's type, the key
or the grain. A breaking change needs a new \`version\` in the model's header.
Without one, this command (exit code 1) and every run refuse the change. The
exit code is also 1 if a model has a fault: the next build would fail.

To serve the old version until a given day, keep its file, for example as
sql/marts/market_daily_v1.sql with \`deprecation_date: 2027-03-31\` in its header.
Keep a model's file until its \`deprecation_date\` has passed: if it is removed
earlier, this command and every run refuse the change.
${examples('tidemark models plan', 'tidemark models plan --json')}`,
    )
    .action(planModels);

  registerModelsApply(models);
  registerModelsEnv(models);

  registerModelsDocs(models);

  models
    .command('test [paths...]')
    .summary('test models with given answers or rows')
    .description('test models: build them from given API answers or rows, and compare the result; needs no warehouse')
    .option('--match <text>', 'run only cases whose name or file contains this text')
    .option('--json', 'print the results as JSON')
    .addHelpText(
      'after',
      `
Cases are entries of YAML files. Give files or folders as arguments; without
arguments, the command reads the cases in sql/ and test/sql/cases.

There are two kinds of cases:
- Answers: the case gives answers of the API. The command loads them, builds the
  models that the queries read, and compares the rows of each query in order.
- Rows (with \`model\`): the case gives rows of the tables that one model reads.
  Other tables are empty and other columns NULL. The command compares only the
  expected columns, in any order of rows.

Expected values: write BIGINT, dates and times as text.

  - name: sizes become bounds
    given:
      - { stream: companies, entity: '1', body: { id: 1, size: 11-50 } }
    expect:
      - query: SELECT employees_min, employees_max FROM core.companies
        rows: [{ employees_min: 11, employees_max: 50 }]

  - name: no growth without the year before
    model: marts.company_years
    given:
      - input: ledger.reports
        rows:
          - { report_id: 1, company_id: 1, source: v2, report_hash: a,
              clean: true }
      - input: marts.financials_wide
        rows: [{ company_id: 1, fiscal_year: 2024, turnover: 5, source: v2 }]
    expect:
      rows: [{ company_id: '1', turnover: 5, turnover_growth: null }]
${examples('tidemark models test', 'tidemark models test my-cases/ --match sizes')}`,
    )
    .action(testModels);
}

async function planModels(options: { json?: boolean }, command: Command): Promise<void> {
  const { config, clock } = await loadContext(command);
  const [{ readPlan, refuseFaults }, { refuseBreaking }, { renderPlan }] = await Promise.all([
    import('../../warehouse/models/read-plan.js'),
    import('../../warehouse/models/plan.js'),
    import('./plan-view.js'),
  ]);
  const plan = await readPlan(config.dataDir, { modelsDir: config.modelsDir, now: clock.now() });
  if (options.json) sayJson(plan);
  else say(renderPlan(plan, { paint: colorsFor(process.stdout), width: terminalWidth() }));
  refuseBreaking(plan.changes);
  refuseFaults(plan.changes);
}

async function testModels(
  paths: string[],
  options: { match?: string; json?: boolean },
  command: Command,
): Promise<void> {
  const modelsDir = await ownModels(command);
  const [{ readCases }, { CaseRunner }, { renderCase }] = await Promise.all([
    import('../../warehouse/models/cases/read-cases.js'),
    import('../../warehouse/models/cases/run-case.js'),
    import('./test-view.js'),
  ]);
  const text = options.match?.toLowerCase() ?? '';
  const cases = readCases(paths).filter(({ name, file }) => `${file} ${name}`.toLowerCase().includes(text));
  if (cases.length === 0) {
    throw new TidemarkError('InvalidInput', `No case has "${options.match}" in its name or file.`, {
      todo: 'Omit --match to run all cases.',
    });
  }
  const paint = colorsFor(process.stdout);
  const results: CaseResult[] = [];
  const runner = new CaseRunner(modelsDir);
  try {
    for (const testCase of cases) {
      if (!options.json && testCase.file !== results.at(-1)?.file) say(paint.bold(testCase.file));
      const result = await runner.run(testCase);
      results.push(result);
      if (!options.json) say(renderCase(result, paint));
    }
  } finally {
    await runner.close();
  }
  const failed = results.filter((result) => result.failures.length > 0).length;
  if (failed > 0) process.exitCode = FAILED;
  if (options.json) return sayJson({ cases: results.length, failed, results });
  const passed = `${results.length - failed} of ${results.length} cases pass`;
  say(`\n${failed === 0 ? paint.green(passed) : paint.red(`${passed}, ${failed} fail`)}`);
}
