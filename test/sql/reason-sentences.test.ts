import { expect, it } from 'vitest';
import { sayReason } from '../../schemas/pipeline/reason.js';
import { LandingStream } from '../../schemas/streams/landing-streams.js';
import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { readSqlFile } from '../../src/warehouse/duckdb/sql-files.js';

it('says in SQL what a run says, for each stream', async () => {
  const { text } = readSqlFile('macros/reason.sql');
  const streams = [...LandingStream.options, 'a_new_stream'];
  const asked = streams.flatMap((stream) => [1, 1_204].map((records) => ({ stream, records })));
  const said = await withMemory('reasons', async (db) => {
    for (const statement of text.split(/;\s*$/m)) if (/CREATE/.test(statement)) await db.run(statement);
    const sentences = [];
    for (const { stream, records } of asked)
      sentences.push(...(await db.rows(`SELECT records_sentence('records_failed', '${stream}', ${records}) AS said`)));
    return sentences;
  });
  expect(said.map((row) => row['said'])).toEqual(asked.map((values) => sayReason({ code: 'records_failed', values })));
});
