import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BodyError, ContractError, createApiClient, isPermanent, type ApiClient } from '../../../src/api/index.js';
import { rejection, TEST_KEY } from './helpers.js';

let server: Server;
let client: ApiClient;
let requests: number;
let answer: { status: number; body: string };

beforeEach(async () => {
  requests = 0;
  server = createServer((_request, response) => {
    requests++;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createApiClient({ baseUrl, apiKey: TEST_KEY, retryBaseMs: 1, retryCapMs: 2, maxRetries: 5 });
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

const ask = (body: string, status = 200) => {
  answer = { status, body };
  return client.v2.financial(7);
};

describe('an answer that the next request would not improve', () => {
  it.each([
    ['{"2023":{"Cash":1},}', 'malformed JSON: unexpected "}" at character 20'],
    ['{"2023":{"Cash":1,}}', 'malformed JSON: unexpected "}" at character 19'],
    ['{"2023":{"Cash":1}}{"2022":{}}', 'malformed JSON: unexpected "{" at character 20'],
    ['{"2023":{"Cash":,"Debt":1}}', 'malformed JSON: unexpected "," at character 17'],
    ["{'2023':{'Cash':1}}", `malformed JSON: unexpected "'" at character 2`],
    ['{2023:{"Cash":1}}', 'malformed JSON: unexpected "2" at character 2'],
    ['{"2023":{"Cash":1}} // cached', 'malformed JSON: unexpected "/" at character 21'],
    ['{"2023":{"Currency":"E\\UR"}}', 'malformed JSON: unexpected "\\\\" at character 23'],
    ['{"2023":{"Currency":"E\u0001UR"}}', 'malformed JSON: unexpected "\\u0001" at character 23'],
    [`)]}',\n{"2023":{"Cash":1}}`, 'text before or after its JSON'],
    ['callback({"2023":{"Cash":1}});', 'text before or after its JSON'],
    ['<br />\n<b>Warning</b>: Undefined index\n{"2023":{"Cash":1}}', 'text before or after its JSON'],
    ['Notice: Undefined variable\n[]', 'text before or after its JSON'],
    [`${'['.repeat(101)}${']'.repeat(101)}`, 'nests deeper than 100 levels'],
  ])('sends one request for %j', async (body, problem) => {
    const error = await rejection(ask(body));
    expect(error).toBeInstanceOf(BodyError);
    expect(error.message).toContain(problem);
    expect([requests, isPermanent(error)]).toEqual([1, true]);
  });

  it.each(['7', '"none"', '[1]', 'true'])('sends one request for a report that is %s', async (body) => {
    const error = await rejection(ask(body));
    expect(error).toBeInstanceOf(ContractError);
    expect([requests, isPermanent(error)]).toEqual([1, true]);
  });
});

describe('an answer that may be better soon', () => {
  it.each([
    ['JSON that ends in an object', 200, '{"2023":{"Cash":1'],
    ['JSON that ends in a text', 200, '{"2023":{"Currency":"EU'],
    ['JSON that ends in a word', 200, '{"2023":{"Cash":Na'],
    ['JSON that ends in an escape', 200, '{"2023":{"Currency":"\\u00'],
    ['an empty body', 200, ''],
    ['a page', 200, '<html><body>Please wait</body></html>'],
    ['a text of a proxy', 200, 'upstream connect error'],
    ['malformed JSON with status 502', 502, '{"error":,}'],
    ['malformed JSON with status 408', 408, '{"error":,}'],
  ])('retries %s', async (_name, status, body) => {
    const error = await rejection(ask(body, status));
    expect(error).toBeInstanceOf(BodyError);
    expect([requests, isPermanent(error)]).toEqual([6, false]);
  });
});

describe('an answer with a bad value', () => {
  it.each(['NaN', 'Infinity', '-Infinity', 'nan', '-inf', 'undefined', 'None', '01', '.5', '+1', '0x1F', 'N/A'])(
    'reads all values except %s, with one request',
    async (bad) => {
      const body = `{"2023":{"Cash":${bad},"Turnover":5,"Currency":"NaN"},"2022":{"Cash":1}}`;
      const response = await ask(body);
      expect(response).toMatchObject({ body, attempts: 1, data: { 2022: { Cash: 1 } } });
      expect(response.data[2023]).toEqual({ Turnover: 5, Currency: 'NaN' });
      expect(response.misfits.map(({ path }) => path)).toEqual([['2023', 'Cash']]);
      expect(requests).toBe(1);
    },
  );

  it('keeps the other items of a page', async () => {
    const items = Array.from({ length: 50 }, (_, i) => `{"id":${i + 1},"name":${i === 3 ? 'NaN' : '"C"'}}`);
    answer = { status: 200, body: `{"total_companies":50,"total_pages":1,"data":[${items.join(',')}]}` };
    const { data } = await client.v2.prospecting({});
    expect(data.data.map((item) => item?.id)).toEqual(items.map((_, i) => i + 1));
    expect(data.data[3]).toEqual({ id: 4 });
    expect(requests).toBe(1);
  });
});

describe('an empty answer in another shape', () => {
  it.each([
    '[]',
    '{}',
    '""',
    'null',
    'false',
    '" "',
    '[[]]',
    '[{}]',
    '[null]',
    '{"data":[]}',
    '{"data":{}}',
    '{"data":null}',
    '{"data":""}',
    '{"data":false}',
  ])('reads the report %s as a report without years', async (body) => {
    expect(await ask(body)).toMatchObject({ data: {}, misfits: [], attempts: 1, body });
  });

  it.each([204, 205])('reads status %i as a report without years', async (status) => {
    expect(await ask('', status)).toMatchObject({ data: {}, misfits: [], attempts: 1 });
  });

  it.each([
    ['[]', []],
    ['{}', []],
    ['null', []],
    ['""', []],
    ['false', []],
    [
      '{"0":{"id":1,"name":"A"},"2":{"id":3,"name":"C"}}',
      [
        { id: 1, name: 'A' },
        { id: 3, name: 'C' },
      ],
    ],
  ])('reads the list %s of a page', async (list, expected) => {
    answer = { status: 200, body: `{"total_companies":0,"total_pages":0,"data":${list}}` };
    expect((await client.v2.prospecting({})).data.data).toEqual(expected);
  });

  it('still refuses a page without a list', async () => {
    answer = { status: 200, body: '{"total_companies":0,"total_pages":0}' };
    expect(await rejection(client.v2.prospecting({}))).toBeInstanceOf(ContractError);
  });
});
