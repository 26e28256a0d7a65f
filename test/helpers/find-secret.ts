import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { decodePart } from '../../src/landing/index.js';

/** Finds a secret in texts and bytes, in every form in which it might be written. */
export interface SecretFinder {
  /** Names of the forms found in a text. */
  inText(text: string): string[];
  /** `file: form` for each find in a folder: raw bytes, decoded Parquet, and all rows of DuckDB files. */
  inFolder(folder: string, options?: { except?: RegExp }): Promise<{ found: string[]; searched: number }>;
}

/** Creates the finder. It shares no code with the redactor. */
export function createSecretFinder(secret: string): SecretFinder {
  const base64 = (before: string): string => {
    const text = Buffer.from(before + secret).toString('base64');
    // Base64 encodes groups of three bytes. Search only for whole groups inside the secret, because the groups at its ends
    // also depend on the text around it.
    return text.slice(Math.ceil(before.length / 3) * 4, Math.floor((before.length + secret.length) / 3) * 4);
  };
  const forms: [name: string, form: string][] = [
    ['plain', secret],
    ['json', JSON.stringify(secret).slice(1, -1)],
    ['json twice', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['url', encodeURIComponent(secret)],
    ['form', new URLSearchParams({ k: secret }).toString().slice(2)],
    ['hex', Buffer.from(secret).toString('hex')],
    ...['', 'x', 'xy'].map((before): [string, string] => [`base64+${before.length}`, base64(before)]),
  ];
  const inText = (text: string): string[] => {
    const plain = unescape(text);
    const unwrapped = text.replaceAll(/\\r|\\n|\s/g, '');
    return [
      ...forms.filter(([, form]) => text.includes(form)).map(([name]) => name),
      ...forms.filter(([, form]) => unwrapped.includes(form)).map(([name]) => `${name}, wrapped`),
      ...(plain.includes(secret.replaceAll('\\', '')) ? ['escaped'] : []),
    ];
  };
  return {
    inText,
    async inFolder(folder, { except } = {}) {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .filter((file) => !except?.test(file));
      const found: string[] = [];
      for (const file of files) {
        const bytes = readFileSync(file);
        const texts = [bytes.toString('latin1'), ...(await decoded(file, bytes))];
        for (const text of texts) found.push(...inText(text).map((form) => `${path.relative(folder, file)}: ${form}`));
      }
      return { found, searched: files.length };
    },
  };
}

const SIGNS: Record<string, string> = { hyphen: '-', quot: '"', sol: '/', plus: '+', period: '.', quest: '?' };

function unescape(text: string): string {
  const character = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  return text
    .replaceAll(/\\+(?:u00|x)([0-9a-f]{2})/gi, character)
    .replaceAll(/&(hyphen|quot|sol|plus|period|quest);/g, (_, name: string) => SIGNS[name] ?? '')
    .replaceAll(/%([0-9a-f]{2})/gi, character)
    .replaceAll(/\\+/g, '');
}

/** Rows of a file that stores them compressed. */
async function decoded(file: string, bytes: Buffer): Promise<string[]> {
  if (file.includes(`${path.sep}landing${path.sep}`) && file.endsWith('.parquet')) {
    return decodePart(bytes).map((row) => Object.values(row).join('\n'));
  }
  if (file.endsWith('.parquet')) return dump(':memory:', `SELECT * FROM read_parquet('${file}')`);
  if (!file.endsWith('.duckdb')) return [];
  const tables = await dump(
    file,
    `SELECT format('"{}"."{}"', schema_name, table_name) AS t FROM duckdb_tables() WHERE NOT internal AND NOT temporary`,
  );
  const texts: string[] = [];
  for (const table of tables)
    texts.push(...(await dump(file, `SELECT * FROM ${(JSON.parse(table) as { t: string }).t}`)));
  return texts;
}

async function dump(file: string, sql: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(file, file === ':memory:' ? {} : { access_mode: 'READ_ONLY' });
  try {
    const connection = await instance.connect();
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    connection.closeSync();
    return rows.map((row) => JSON.stringify(row));
  } finally {
    instance.closeSync();
  }
}
