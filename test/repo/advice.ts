/** A text that tells people to delete, move, reset or restore something, by its file and its begin. */
interface Text {
  file: string;
  text: string;
}

const row = (file: string, text: string): Text => ({ file, text });
const advice = (file: string, text: string, test: readonly [file: string, title: string]) => ({ file, text, test });
const untested = (file: string, text: string, reason: string) => ({ file, text, reason });
const T0 = ['test/src/cli/quarantine.test.ts', 'deletes nothing'] as const;
const T1 = ['test/src/cli/quarantine.test.ts', 'lets nights go on after %s of %s, and says what is lost'] as const;
const T2 = [
  'test/src/maintenance/compact/compact.test.ts',
  'drops repeated answers and nothing that a table needs',
] as const;
const T3 = [
  'test/src/cli/quarantine.test.ts',
  'moves the parts of a run with a wrong clock, and returns them',
] as const;
const T4 = [
  'test/e2e/terminated.test.ts',
  'lands what a terminated run left, and does not repeat its requests',
] as const;
const T5 = ['test/src/maintenance/forget/forget.test.ts', 'take nobody and nothing else with them'] as const;
const T6 = ['test/src/maintenance/forget/forget.test.ts', 'removes only answers older than the retention'] as const;
const T7 = [
  'test/src/maintenance/forget/forget.test.ts',
  'removes all personal data, as personalData: none does before landing',
] as const;
const T8 = [
  'test/src/cli/output/copy.test.ts',
  'follows a switch to an earlier build, and removes replaced versions on request',
] as const;
const T9 = ['test/e2e/terminated.test.ts', 'lands what a run left whose Temporal server lost its database'] as const;
const T10 = ['test/src/cli/models/apply.test.ts', 'keeps a table whose file is gone until it is dropped'] as const;
const T11 = ['test/src/cli/models/apply.test.ts', 'rolls back to the previous set and holds it until apply'] as const;
const T12 = ['test/src/warehouse/publish/environments.test.ts', 'lists environments by name and drops one'] as const;
const T13 = ['test/e2e/schedules.test.ts', 'deletes schedules'] as const;
const T14 = ['test/src/maintenance/forget/killed.test.ts', 'finishes after kill -9 in each step'] as const;
const T15 = [
  'test/src/cli/models/apply.test.ts',
  'retires an old version after its date, without reader errors',
] as const;
const T16 = [
  'test/e2e/restored-folder.test.ts',
  'fails a run whose data folder was restored from a backup; the next completes',
] as const;
const T17 = [
  'test/e2e/backup.test.ts',
  'continues an open run from a backup that was made after `tidemark up` stopped',
] as const;
const T18 = ['test/src/maintenance/forget/forget.test.ts', 'do not come back with a restored part'] as const;

const T19 = ['test/src/privacy/forgotten-list.test.ts', 'says what to do, and the advice can be followed'] as const;
const T20 = ['test/e2e/full-disk.test.ts', 'finishes the same run after the disk has space again'] as const;
const T21 = ['test/src/store/lease-contract.ts', 'gives higher tokens than the protected files have'] as const;

const FORGET_REST = ['test/src/maintenance/forget/forget.test.ts', 'says what it could not remove'] as const;
const LOGOUT = [
  'test/src/cli/login/login.test.ts',
  'removes the stored key, and says if the environment still has one',
] as const;
const BACK = [
  'test/e2e/data-copy.test.ts',
  'goes on in the bucket and in another folder, without asking for known records',
] as const;
const COMPOSE_BACK = ['test/deploy/compose.test.ts', 'goes back to the volume of one machine'] as const;
const DUMP = ['test/deploy/compose.test.ts', 'has its runs and schedules after a dump was restored'] as const;
const ICEBERG = ['test/engines/iceberg.test.ts', 'purge ignores gc.enabled'] as const;

const KEY = ['test/src/cli/advice.test.ts', 'a damaged key of fingerprints: a backup restores it'] as const;
const IDENTITY = ['test/src/cli/advice.test.ts', 'a damaged folder.json: a backup restores the identity'] as const;
const PLACE = ['test/src/cli/advice.test.ts', 'a damaged folder.json of a place to copy'] as const;
const UNFINISHED = ['test/src/cli/advice.test.ts', 'an unfinished removal of people'] as const;
const GONE = ['test/src/cli/advice.test.ts', 'loaded parts that are gone'] as const;
const FORGET_DAMAGED = ['test/src/cli/advice.test.ts', 'a removal of people from damaged parts'] as const;
const RETURNED = [
  'test/src/maintenance/forget-set-aside.test.ts',
  'does not let a returned part bring a forgotten person back',
] as const;
const WRONG_KIND = ['test/src/cli/advice.test.ts', 'a folder at the place of a file'] as const;
const WORKING_COPY = ['test/src/cli/advice.test.ts', 'a removed working copy'] as const;
const HANGING = ['test/src/cli/advice.test.ts', 'a hanging dev server'] as const;
const COPY = [
  'test/src/temporal/namespace-owner.test.ts',
  'lets a copy work beside its original, or instead of it, as the error advises',
] as const;
const ATTRIBUTE = [
  'test/src/temporal/runs/runs.test.ts',
  'registers an attribute of another type after it was removed as the error advises',
] as const;

/** Advice, with the test that follows it and shows what is lost. */
export const ADVICE = [
  advice('src/cli/quarantine.ts', 'move damaged landed parts out of the way', T0),
  advice('src/cli/quarantine.ts', 'check all landed parts, move damaged ones out of the way, and sa', T0),
  advice('src/cli/quarantine.ts', 'move parts back whose files are sound again', T1),
  advice('src/cli/quarantine.ts', 'To return a part, restore its file from a backup to its old plac', T1),
  advice('src/cli/quarantine.ts', 'restore their files from a backup, then `tidemark quarantine --r', T1),
  advice('src/cli/compact.ts', 'join the small landed parts of ended runs; with --drop-repeats,', T2),
  advice('src/cli/compact.ts', 'After --drop-repeats, only the shares in ops.drift and the rejec', T2),
  advice('src/cli/compact.ts', 'tidemark compact --drop-repeats 90', T2),
  advice('src/cli/doctor/check-disk.ts', 'Restore these parts from a backup.', T1),
  advice('src/cli/doctor/check-disk.ts', '`tidemark quarantine` moves what is left of them out of the way,', T1),
  advice('src/cli/doctor/check-disk.ts', '`tidemark quarantine --run <run>` for each of these runs, then `', T3),
  advice('src/cli/doctor/check-disk.ts', 'Delete none of them:', T4),
  advice('src/cli/forget.ts', 'remove people from all data', T5),
  advice('src/cli/forget.ts', 'remove people from the landing zone, the warehouse and all build', T5),
  advice('src/cli/forget.ts', 'ids of employees or executives to remove for ever', T5),
  advice('src/cli/forget.ts', 'ids of contacts of tenders to remove for ever', T5),
  advice('src/cli/forget.ts', 'remove answers about people that are older than `retention` allo', T6),
  advice('src/cli/forget.ts', 'remove all personal data; needs personalData:', T7),
  advice('src/cli/forget.ts', 'Set the age of answers to remove, for example `retention:', T6),
  advice('src/cli/forget.ts', 'replace them now with `tidemark publish --copy --prune`', T8),
  advice('src/cli/local/dev-server.ts', 'If the error repeats, move data/temporal to another place.', T9),
  advice('src/cli/models/apply.ts', 'drop these tables now, if their model files are deleted; without', T10),
  advice('src/cli/models/apply.ts', 'Also refuses to remove a table without a `deprecation_date` in i', T10),
  advice('src/cli/models/apply.ts', 'tidemark models apply --drop marts.mine', T10),
  advice('src/cli/models/apply.ts', 'restore an earlier set of models', T11),
  advice('src/cli/models/apply.ts', 'restore an earlier set of models; runs build that set until `mod', T11),
  advice('src/cli/models/environments.ts', 'list or remove dev environments', T12),
  advice('src/cli/models/environments.ts', 'remove an environment; production does not change', T12),
  advice('src/cli/models/plan-view.ts', 'restore its file, or drop the table:', T10),
  advice('src/cli/models/plan-view.ts', 'tidemark models apply --drop …', T10),
  advice('src/cli/publish.ts', 'remove all replaced versions from publish.to now', T8),
  advice('src/cli/publish.ts', '--prune needs --copy.', T8),
  advice('src/cli/schedule/schedule.ts', 'create, update and remove schedules to match tidemark.yaml', T13),
  advice('src/cli/schedule/schedule.ts', 'remove a schedule from the server; `schedule apply` creates it a', T13),
  advice('src/maintenance/copy/copy-data.ts', 'If Temporal knows these runs no more, add --abandon-runs:', T9),
  advice('src/warehouse/duckdb/errors.ts', 'Restore each file from a backup.', T1),
  advice('src/warehouse/duckdb/errors.ts', '`tidemark quarantine` moves it out of the way, and says what is', T1),
  advice('src/landing/pieces.ts', 'Or remove the file:', [
    'test/src/landing/landing.test.ts',
    'names a spool of an older version, and says what to do',
  ]),
  advice('src/landing/manifest.ts', 'Restore the file from a backup.', T1),
  advice('src/landing/manifest.ts', '`tidemark quarantine` moves it out of the way, and says what is', T1),
  advice('src/warehouse/models/plan.ts', 'Restore … (or your override in the folder that `models` names).', T10),
  advice('src/warehouse/models/plan.ts', 'To drop … now:', T10),
  advice('src/warehouse/models/plan.ts', 'tidemark models apply --drop …', T10),
  advice('src/warehouse/models/plan.ts', 'Restore version … of …:', T10),
  advice('src/warehouse/publish/apply-models.ts', 'There is no table … to drop.', T10),
  advice('src/warehouse/publish/publish.ts', 'Run `tidemark publish --copy --prune`, if builds are copied', T8),
  advice('docs/privacy.md', 'With `publish.to`, run `tidemark publish --copy --prune` after', T8),
  advice(
    'src/warehouse/publish/apply-models.ts',
    'Remove the file first; otherwise the next run builds the table a',
    T10,
  ),
  advice('docs/configuration.md', '`tidemark forget --expired` removes older answers.', T6),
  advice('docs/failure-modes.md', 'Its notes and an alert name the file, and so do later runs and r', T1),
  advice('docs/failure-modes.md', 'To return them, restore their files to their old places, then run', T1),
  advice('docs/failure-modes.md', '- *Lost:* the answers of the part, until you restore it or a run', T1),
  advice('docs/failure-modes.md', '**`tidemark forget` is killed.** Run it again, with or without i', T14),
  advice('docs/failure-modes.md', 'To correct the tables at once, run `tidemark quarantine --run …`', T3),
  advice('docs/failure-modes.md', '`tidemark quarantine --return` undoes this.', T3),
  advice('docs/models.md', 'There are two ways to remove a table:', T10),
  advice('docs/models.md', 'After this day, the table is retired, and you can delete the fil', T15),
  advice('docs/models.md', 'Delete the file, then run `tidemark models apply --drop marts.mi', T10),
  advice('docs/operations.md', 'Move the damaged data folder away, and copy the backup to its pl', T16),
  advice('docs/operations.md', '- If you restore the data folder together with `data/temporal`,', T17),
  advice('docs/operations.md', '`--drop-repeats` drops an answer only if it equals both the prev', T2),
  advice('docs/privacy.md', 'With `publish.to`, run `tidemark publish --copy --prune` then:', T8),
  advice('docs/privacy.md', 'After a crash, run `tidemark forget` again, with or without ids.', T14),
  advice('docs/privacy.md', '**After restoring a backup** run `tidemark forget`:', T18),
  advice('docs/privacy.md', '`tidemark forget --expired` removes older answers as above, with', T6),
  advice('docs/privacy.md', 'Run `tidemark forget --all` soon.', T7),
  advice('src/store/disk-errors.ts', 'Free space on that disk or move the data folder (TIDEMARK_DATA).', T20),
  advice('src/privacy/forgotten-list.ts', 'Restore data/secrets from a backup; then everything goes on.', T19),
  advice('src/privacy/forgotten-list.ts', '`tidemark forget --replace-list --person …`.', T19),
  advice('src/store/lease.ts', 'If no other version of Tidemark uses this storage, remove this f', T21),
  advice('docs/failure-modes.md', 'Restore `data/secrets` from a backup, or [start a new list]', T19),
  advice('docs/object-storage.md', '- **`lease.json` is damaged.** You may remove it:', T21),
  advice('docs/privacy.md', 'Restore `data/secrets` from a backup.', T19),
  advice('src/cli/forget.ts', 'todo Delete the files named above, then run `tidemark forget` ag', FORGET_REST),
  advice('src/cli/login/login.ts', 'remove the stored API key', LOGOUT),
  advice('src/cli/login/login.ts', 'remove the API key that `tidemark login` stored', LOGOUT),
  advice('docs/many-machines.md', './data-back`, and remove `storage`.', BACK),
  advice('docs/many-machines.md', 'If the volume still has the data from before the bucket, rename ', COMPOSE_BACK),
  advice('docs/many-machines.md', 'There, set `TIDEMARK_DATA=/data/back` in `.env`, remove your `co', COMPOSE_BACK),
  advice('docs/many-machines.md', 'If the whole region is lost, restore bucket and Temporal from yo', T16),
  advice('docs/many-machines.md', 'Restore the bucket.', T16),
  advice('docs/many-machines.md', 'Remove the folder of `TIDEMARK_STORAGE_FOLDER` on each machine.', T16),
  advice('docs/many-machines.md', 'If you are sure that Temporal does not know the run, add `--aban', T9),
  advice('docs/operations.md', 'Restore PostgreSQL if it was lost:', DUMP),
  advice('docs/privacy.md', 'To remove it:', T7),
  advice('examples/README.md', '- **Give users of the catalog no right to delete below `publish.', ICEBERG),
  advice('src/cli/forget.ts', 'stop their workers and remove the folders (`TIDEMARK_STORAGE_FOLDER`)', WORKING_COPY),
  advice('src/store/disk-errors.ts', 'Move it to another place.', WRONG_KIND),
  advice('src/privacy/fingerprint.ts', 'Restore data/secrets from a backup.', KEY),
  advice('src/privacy/fingerprint.ts', 'Without a backup, delete the file; then events about people may app', KEY),
  advice('src/privacy/fingerprint.ts', 'if you ever ran `tidemark forget`, run it again with the same ids.', KEY),
  advice(
    'docs/many-machines.md',
    'stop their workers and remove the folders of `TIDEMARK_STORAGE_FOLDER`.',
    WORKING_COPY,
  ),
  advice('docs/many-machines.md', 'You can remove a working copy while no process uses it:', WORKING_COPY),
  advice('src/cli/local/dev-server.ts', 'End the process (kill …), then try again.', HANGING),
  advice('src/store/folder-identity.ts', 'If it is damaged, restore it from a backup.', IDENTITY),
  advice('src/store/folder-identity.ts', 'Without a backup, delete it:', IDENTITY),
  advice('docs/failure-modes.md', 'Restore it from a backup.', IDENTITY),
  advice('src/maintenance/copy/hold.ts', 'A `tidemark forget` in … is not finished.', UNFINISHED),
  advice('src/maintenance/copy/place.ts', 'Restore the file from a backup.', PLACE),
  advice('src/warehouse/load/load.ts', 'Restore these parts from a backup.', GONE),
  advice(
    'src/maintenance/forget/forget.ts',
    '`tidemark forget` builds the warehouse again from the landing zo',
    FORGET_DAMAGED,
  ),
  advice('src/maintenance/forget/forget.ts', 'Restore the files from a backup.', FORGET_DAMAGED),
  advice(
    'src/maintenance/forget/forget.ts',
    'Without a backup, run `tidemark quarantine`, which says what is',
    FORGET_DAMAGED,
  ),
  advice('src/maintenance/forget/forget.ts', 'Then run `tidemark forget` again.', FORGET_DAMAGED),
  advice(
    'src/maintenance/forget/prove.ts',
    'To keep its answers, restore it and run `tidemark quarantine --r',
    RETURNED,
  ),
  advice('src/temporal/namespace-owner.ts', 'To use both, delete folder.json in the copy and give it its own', COPY),
  advice('src/temporal/namespace-owner.ts', 'If the original is no longer used, move it away.', COPY),
  advice('docs/configuration.md', 'If you copy a folder to use both, delete `folder.json` in the co', COPY),
  advice(
    'src/temporal/search-attributes.ts',
    'Use another namespace (TEMPORAL_NAMESPACE), or remove these attr',
    ATTRIBUTE,
  ),
  advice('docs/many-machines.md', 'When a night was right, you may remove the old `./data`, the wor', PLACE),
];

const BACKUPS = 'Backups and snapshots are made by other programs, which no test runs. Nothing but them is lost.';
const OUTSIDE = 'These files are outside of the data folder, where no command looks. Nothing but them is lost.';
const VERSIONS = 'The gateway of the tests keeps no older versions of files.';
const CONTAINERS = 'Needs containers. Without them, a test removes the source of a copy: PLACE.';
const CATALOG =
  'A step in a foreign catalog. The test of Iceberg shows what a purge loses, and that other types are refused.';

/** Advice that no test follows, with the reason. */
export const UNTESTED = [
  untested('src/cli/forget.ts', 'delete all that were made before now', BACKUPS),
  untested('src/cli/forget.ts', 'delete these', OUTSIDE),
  untested('src/cli/forget.ts', 'Tell the users of other machines to delete their copies.', OUTSIDE),
  untested('docs/privacy.md', 'Delete these yourself.', OUTSIDE),
  untested('docs/many-machines.md', 'If the bucket keeps older versions of files, remove these, too.', VERSIONS),
  untested('docs/many-machines.md', 'When a night was right, run `docker compose down -v` on the othe', CONTAINERS),
  untested('docs/many-machines.md', 'You may remove `secrets/bucket.env`, and everything in the old v', CONTAINERS),
  untested('examples/README.md', 'Drop a table without purge instead.', CATALOG),
  untested('examples/README.md', 'If its type changes, drop the table and run the script again.', CATALOG),
  untested('examples/README.md', '- To stop using the catalog, drop its tables.', CATALOG),
];

/** Texts that look like advice, but describe something, or concern only files that the user writes. */
export const DESCRIPTIONS = [
  row('bootstrap/packages.mjs', 'Restore it:'),
  row('bootstrap/release.mjs', 'Move them to version ….'),
  row('src/cli/api.ts', 'Remove … from the end of the address (api.baseUrl or TIDEMARK_AP'),
  row('src/cli/doctor/check-storage.ts', 'list, create, read, replace and remove succeed'),
  row('src/cli/forget.ts', '✔ Nothing to remove from landed answers.'),
  row('src/cli/init/render-config.ts', '# To read tenders, too, remove the # from these lines:'),
  row('src/cli/init/run-init.ts', 'Replace it?'),
  row('src/cli/init/run-init.ts', 'Move the file away, or name another one:'),
  row('src/cli/init/run-init.ts', 'Replace … in …?'),
  row('src/cli/local/sandbox.ts', 'move the running sandbox to a later day'),
  row('src/cli/local/sandbox.ts', 'move the sandbox of `tidemark up --sandbox`, and the clock of it'),
  row('src/config/config.ts', 'Remove it and set TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE (TID'),
  row('src/config/config.ts', 'If you shared the file, replace the API key.'),
  row('src/warehouse/publish/write-build.ts', 'DROP SCHEMA ledger CASCADE'),
  row('src/store/folder-identity.ts', 'Keep this file in backups and when you move the folder.'),
  row('src/config/usable-folder.ts', 'Rename the folder, or set `data` (or TIDEMARK_DATA) to a path wi'),
  row('src/base/csv/columns.ts', 'Rename or remove one of the two.'),
  row('src/warehouse/models/models.ts', 'Add sql/….sql with a `version` above …, or remove ….'),
  row('src/warehouse/models/models.ts', 'Or remove ….'),
  row('src/warehouse/models/models.ts', 'Remove one of the references.'),
  row('src/warehouse/models/own/own-files.ts', 'Move each .sql file into one of the subfolders ….'),
  row('src/warehouse/models/own/own-files.ts', 'Move it to ….'),
  row('src/warehouse/models/own/read-own.ts', 'Rename or remove one of the two.'),
  row('src/warehouse/models/own/read-own.ts', 'Rename the macro, for example to my_….'),
  row('src/warehouse/models/own/read-own.ts', 'Rename the file, for example to my_….csv.'),
  row('src/warehouse/models/own/seeds.ts', 'Add or rename the file.'),
  row('src/serve/explorer/user-sql/query-process.ts', 'Remove the other statements.'),
  row('src/serve/explorer/user-sql/watchdog.ts', "const { statSync, writeSync } = require('node:fs'); const { pare"),
  row('src/serve/explorer/user-sql/watchdog.ts', '0; if (size > workerData.fileBytes) end(workerData.endedBy.file)'),
  row('ui/src/components/query-list.tsx', 'Remove the filter …'),
  row('ui/src/views/sql/sidebar.tsx', 'Remove the saved query …'),
  row('ui/src/views/sql/sidebar.tsx', 'Remove the saved query "…"?'),
  row('docs/comparison.md', 'accept, refuse, or discard the row or value.'),
  row('docs/configuration.md', 'Keep this file in backups, and when you move the folder.'),
  row('docs/configuration.md', 'If you terminate a run in the Temporal UI, its list stays in `da'),
  row('docs/cookbook.md', 'Replace `m` with the name of your market.'),
  row('docs/deployment.md', '`docker compose up -d --force-recreate`.'),
  row('docs/failure-modes.md', '**A worker is killed (`kill -9`).** Its heartbeats stop.'),
  row('docs/failure-modes.md', '**One record fails (error, HTML page, empty or cut body, timeout'),
  row('docs/failure-modes.md', 'It knows the people to remove from the tombstones in `data/secre'),
  row('docs/failure-modes.md', '**A publish is killed (`kill -9`) or fails.** Readers see either'),
  row('docs/many-machines.md', '- **Removed parts.** `compact` and `forget` first commit the new'),
  row('docs/many-machines.md', 'Then run `docker compose up -d --force-recreate` on the machine'),
  row('docs/models.md', 'the warehouse keeps the texts of all sets of models, and `tidema'),
  row('docs/object-storage.md', 'It creates small files (`doctor-…`), and removes them; without t'),
  row('docs/object-storage.md', 'it can list, create, read, replace and remove files.'),
  row('docs/privacy.md', 'Otherwise `tidemark forget` refuses to start, and says why.'),
  row('docs/testing.md', 'So it may kill fewer mutants than in `npm test`.'),
  row('src/serve/explorer/user-sql/saved-queries.ts', 'Remove some from'),
];
