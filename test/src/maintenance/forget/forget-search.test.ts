import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { ValueFinder } from '../../../../src/privacy/value-finder.js';
import { nothingSearched, searchFolder, type Searched } from '../../../../src/maintenance/forget/search.js';

/* Every way in which a file may hold a value. The values are those of removed people. */

const NAME = 'Jiřina Nováková';
const MAIL = 'jirina.novakova@mail.example';
const LINK = 'https://pro.example/jirina';
const QUOTED = 'says "a\\b" & <c>';
const escaped = (text: string): string =>
  text.replaceAll(/[^]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
const wide = (text: string, mark = false): Buffer => Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
const big = (text: string): string => `${'x'.repeat(4 * 2 ** 20 - 7)} ${text} ${'y '.repeat(1_000)}`;
const binary = (text: string): Buffer => Buffer.concat([Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(` ${text} `)]);
const sql = (text: string): string => text.replaceAll("'", "''");
/** A SQLite file of two pages. Its only record is cut in the middle of the text, after 92 bytes. */
function sqlite(text: string): Buffer {
  const [page, more] = [Buffer.alloc(512), Buffer.alloc(512)];
  const record = Buffer.from(`${'x'.repeat(84)} ${text} ${' '.repeat(600)}`).subarray(0, 600);
  page.write('SQLite format 3\0');
  page.writeUInt16BE(512, 16);
  page.set([0x0d, 0, 0, 0, 1, 0, 0, 0, 300 >> 8, 300 & 255], 100);
  page.set([0x84, 0x58, 1, ...record.subarray(0, 92), 0, 0, 0, 2], 300);
  more.set(record.subarray(92), 4);
  return Buffer.concat([page, more]);
}

/** Files that hold a value: how, name, content, and the value. */
const FOUND: [string, string, Buffer | string, string][] = [
  ['plain', 'a.txt', `x ${NAME} y`, NAME],
  ['across two pieces of a file', 'b.txt', big(NAME), NAME],
  ['in capital letters', 'c.txt', MAIL.toUpperCase(), MAIL],
  ['in small letters', 'd.txt', NAME.toLowerCase(), NAME],
  ['with accents as signs of their own', 'e.txt', NAME.normalize('NFD'), NAME],
  ['as JSON', 'f.json', JSON.stringify({ a: QUOTED }), QUOTED],
  ['as JSON in JSON', 'g.ndjson', JSON.stringify({ body: JSON.stringify({ a: QUOTED }) }), QUOTED],
  ['as JSON in JSON in JSON', 'g3.json', JSON.stringify([JSON.stringify([JSON.stringify([QUOTED])])]), QUOTED],
  ['with escaped slashes', 'h.json', `{"a":"${LINK.replaceAll('/', '\\/')}"}`, LINK],
  ['with every sign escaped', 'i.json', `{"a":"${escaped(NAME)}"}`, NAME],
  [
    'with escapes in capital letters',
    'j.json',
    `{"a":"${escaped(NAME).toUpperCase().replaceAll('\\U', '\\u')}"}`,
    NAME,
  ],
  ['with one letter escaped', 'k.json', `{"a":"${NAME.replace('i', '\\u0069')}"}`, NAME],
  ['after an escaped line break', 'l.json', String.raw`{"a":"x\n${NAME}"}`, NAME],
  ['as HTML', 'm.html', '<p>says &quot;a\\b&quot; &amp; &lt;c&gt;</p>', QUOTED],
  ['as HTML with numbers', 'n.html', `<p>${NAME.replaceAll(/[^]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</p>`, NAME],
  ['as HTML with hexadecimal numbers', 'o.html', `<p>${NAME.replaceAll('ř', '&#x159;')}</p>`, NAME],
  ['in an address of a web page', 'p.log', `GET /v2?email=${encodeURIComponent(MAIL)}&n=1`, MAIL],
  ['as UTF-16 with a mark', 'q.csv', wide(`a;${NAME};b`, true), NAME],
  ['as UTF-16 without a mark', 'r.csv', wide(`a;${MAIL};b`), MAIL],
  ['as UTF-16 with the other byte first', 's.csv', wide(`a;${NAME};b`, true).swap16(), NAME],
  ['as UTF-16 with escapes', 't.json', wide(`{"a":"${escaped(NAME)}"}`, true), NAME],
  ['before a part of a character', 'zb.ndjson', Buffer.from(`${NAME}\nř`).subarray(0, -1), NAME],
  ['cut between two pages of a SQLite file', 'zd.db', sqlite(NAME), NAME],
  ['in a link to another place', 'zc.txt', `[x](${LINK})`, LINK],
];

/** Files that no search can read completely. */
const UNREAD: [string, string, Buffer][] = [
  ['of an unknown kind', 'ua.bin', binary('abc')],
  ['of an unknown kind under a name of text', 'ub.log', binary('abc')],
  ['of the kind zip', 'uc.zip', Buffer.from('504b0304ffff', 'hex')],
  ['of the kind xz', 'ud.xz', Buffer.from('fd377a585a00ff', 'hex')],
  ['of the kind bzip2', 'ue.bz2', Buffer.concat([Buffer.from('BZh91AY&SY'), Buffer.from([0xff, 0xc3, 0x28])])],
  ['compressed with gzip', 'uf.gz', gzipSync(`x ${NAME}`)],
  ['compressed with gzip, under another name', 'ug.log', gzipSync(NAME)],
  ['compressed with deflate', 'uh.bin', deflateSync(` ${NAME}`)],
  ['compressed with deflate, at the lowest level', 'ui.bin', deflateSync('x', { level: 0 })],
  ['compressed with Brotli', 'ul.br', brotliCompressSync('x')],
  ['compressed with zstd', 'um.log', Buffer.from('28b52ffd2000010000', 'hex')],
  ['of the kind Parquet, but damaged', 'uj.parquet', Buffer.from('PAR1 abc')],
  ['of the kind DuckDB, but damaged', 'uk.duckdb', Buffer.from('12345678DUCK abc')],
];

describe('the search of forget', () => {
  let result: Searched;
  let searched: number;
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-search-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(async () => {
    mkdirSync(path.join(folder, 'in', 'a folder'), { recursive: true });
    for (const [, name, content] of [...FOUND, ...UNREAD]) writeFileSync(path.join(folder, 'in', name), content);
    writeFileSync(path.join(folder, 'in', 'a folder', 'none.txt'), `Jiřinaa Nováková, x${MAIL}, Jiřina N.`);
    await withMemory(path.join(folder, 'memory'), async (db) => {
      const at = (name: string): string => path.join(folder, name);
      for (const codec of ['zstd', 'gzip', 'snappy', 'brotli', 'lz4'])
        await db.run(
          `COPY (SELECT i, 'x' AS a, ['${sql(NAME)}'] AS b FROM range(1000) t(i)) TO '${at(codec)}.parquet' (COMPRESSION ${codec})`,
        );
      for (const name of ['rows', 'free']) {
        await db.run(`ATTACH '${at(name)}.duckdb' AS f`);
        await db.run(
          `CREATE TABLE f.t AS SELECT i, '${sql(NAME)}' AS a, repeat('y', 100) || i AS b FROM range(50000) s(i)`,
        );
        if (name === 'free')
          await db.run('CHECKPOINT f; CREATE TABLE f.u AS SELECT 1 AS x; DROP TABLE f.t; CHECKPOINT f');
        await db.run('DETACH f');
      }
      result = nothingSearched();
      const finder = new ValueFinder([NAME, MAIL, LINK, QUOTED]);
      await searchFolder({ db, finder, fresh: new Set() }, folder, (name) => name.startsWith('memory'), result);
      searched = result.files + result.unread.length;
    });
  });

  it.each(FOUND)('finds a value %s', (_, name, _content, value) => {
    expect([...(result.found.get(`in/${name}`) ?? [])]).toContain(value);
  });
  it.each(['zstd.parquet', 'gzip.parquet', 'snappy.parquet', 'brotli.parquet', 'lz4.parquet', 'rows.duckdb'])(
    'finds a value in %s',
    (name) => expect([...(result.found.get(name) ?? [])]).toEqual([NAME]),
  );
  it.each(UNREAD)('fails for a file %s', (_, name) => {
    expect(result.unread.filter((text) => text.startsWith(`in/${name}: `))).toHaveLength(1);
  });
  it('fails for free blocks of a DuckDB file, and for nothing else', () => {
    expect(result.unread.filter((text) => !text.startsWith('in/u'))).toEqual([
      expect.stringMatching(/^free\.duckdb: removed rows may be in \d+ free blocks/),
    ]);
  });
  it('finds whole words only, and counts each file', () => {
    expect(result.found.has('in/a folder/none.txt')).toBe(false);
    expect(searched).toBe(FOUND.length + UNREAD.length + 1 + 5 + 2);
  });
});
