import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';
import { prepareOnce } from '../helpers/warehouse.js';
import { membersOf, publishWorld, LAST, worldOf } from '../helpers/world-warehouse.js';

/* Runs the Python examples on a published market. Installs their packages from PyPI. */

const run = promisify(execFile);
const prepared = prepareOnce(publishWorld);
const inExamples = (...names: string[]): string => path.join(ROOT, 'examples', ...names);
const requirements = readFileSync(inExamples('python', 'requirements.txt'), 'utf8').trim().split('\n');

it('examples/python/first_look.py reads the file and the lake', async () => {
  const python = await installPython('examples', requirements);
  const { stdout } = await run(python, [inExamples('python', 'first_look.py')], {
    env: { ...process.env, TIDEMARK_DATA: prepared() },
  });
  const members = membersOf(worldOf(), LAST).length;
  expect(stdout).toContain(`\n${members} companies are in the market.\n`);
  expect(stdout).toContain('turnover_eur: Turnover in EUR');
});

it('the function of docs/querying.md for Polars reads every table', async () => {
  const data = prepared();
  const page = readFileSync(path.join(ROOT, 'docs', 'querying.md'), 'utf8');
  const code = [...page.matchAll(/^```python\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const recipe = code.find((block) => block.includes('polars'))?.replace('"data/published', `"${data}/published`);
  const script = `${recipe}
import duckdb
market = duckdb.connect(f"{build}/market.duckdb", read_only=True)
names = market.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name <> 'meta'").fetchall()
wrong = []
for name, in names:
    rows = table(name).select(pl.len()).collect().item()
    if rows != market.execute(f"SELECT count(*) FROM {name}").fetchone()[0]:
        wrong.append(name)
print(len(names) > 40, wrong)
`;
  const python = await installPython('examples', requirements);
  const { stdout } = await run(python, ['-c', script]);
  expect(stdout).toBe('True []\n');
});

it('the address for Superset opens the file read-only', async () => {
  const packages = [...requirements.filter((name) => name.startsWith('duckdb')), 'duckdb-engine==0.17.0'];
  const python = await installPython('superset', packages);
  const [, address = ''] = /^(duckdb:\/\/\/\/.*)$/m.exec(readFileSync(inExamples('README.md'), 'utf8')) ?? [];
  const script = `
import sys
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool
engine = create_engine(sys.argv[1], poolclass=NullPool)
with engine.connect() as connection:
    print(connection.execute(text("SELECT count(*) FROM marts.companies WHERE in_market")).scalar())
    try:
        connection.execute(text("DELETE FROM marts.companies"))
    except Exception as error:
        print("read-only" if "read-only" in str(error) else error)
`;
  const { stdout } = await run(python, ['-c', script, address.replace('/srv/tidemark/data', prepared())]);
  expect(stdout).toBe(`${membersOf(worldOf(), LAST).length}\nread-only\n`);
});
