import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findTexts } from '../helpers/find-texts.js';
import { startProcess, type RunningProcess } from '../helpers/processes.js';
import { startStubProject, type StubProject } from '../helpers/stub-project.js';
import { deliver, writeDelivery } from '../stub/events.js';
import type { StubCompany } from '../stub/companies.js';
import type { StubEvent } from '../stub/state.js';
import { contactMarkers } from '../stub/tender-contacts.js';

const FIELDS = ['officer.appointment', 'employee.email', 'shareholder.holding', 'shareholder_name', 'employee_meta'];

let stub: StubProject;
let receiver: RunningProcess;
const printed: string[] = [];
const markers: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  stub = await startStubProject(
    { companies: 12, tenders: 20 },
    {
      markets: [{ name: 'stub', streams: ['companies'] }],
      tenders: {},
      watch: {
        callback: `http://127.0.0.1:${port}/events`,
        select: 'SELECT company_id FROM core.companies WHERE has_details ORDER BY company_id LIMIT 5',
      },
    },
  );
  await stub.snapshot();
  await must('watch', 'apply');
  receiver = await startProcess(['bin/tidemark.mjs', 'watch', 'listen', '--port', String(port)], {
    env: stub.project.env,
    ready: /Listening on/,
  });
  await deliverAll();
  await receiver.stop();
  await must('watch', 'sync');
  await must('tenders');
  await must('report');
  markers.push(...stub.api.state.tenders.flatMap(({ slug }) => contactMarkers(slug)));
});
afterAll(async () => {
  await receiver?.stop();
  await stub?.close();
});

async function must(...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await stub.tidemark(...args);
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  printed.push(stdout, stderr);
}

/** Delivers and lists events about people, each with its own names; and deliveries that are unreadable. */
async function deliverAll(): Promise<void> {
  const { state } = stub.api;
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const watched = [...state.watches.keys()].map((id) => state.byId.get(id) as StubCompany);
  for (const [i, company] of watched.entries()) {
    for (const field of FIELDS) {
      const who = `Tajný ${company.place} ${field}`;
      const event: StubEvent = {
        companyId: company.id,
        field,
        at: `${yesterday}T00:${String(10 + i)}:07Z`,
        old: null,
        new: who,
        message: `<em>${who}</em> tajny.${company.place}@firm.example`,
        listed: true,
      };
      state.events.push(event);
      markers.push(who, `tajny.${company.place}@firm.example`);
      const body = JSON.parse(writeDelivery(state, event)) as { new_value: unknown; company_data: object };
      body.new_value = i % 2 === 0 ? who : { called: who, of: [who] };
      Object.assign(body, { introduced_by: who });
      Object.assign(body.company_data, { contact: who });
      expect(await deliver(state, JSON.stringify(body))).toBe(200);
    }
  }
  for (const body of ['Tajný without JSON', '{"new_value": "Tajný cut', '["Tajný"]', '{"field": 7, "who": "Tajný"}']) {
    expect(await deliver(state, body)).toBe(200);
  }
  markers.push('Tajný');
}

it('lands every tender and event, but no name, address or number of a person', async () => {
  await stub.worker.stop();
  const query = (sql: string) => stub.project.query(sql);
  expect(await query('SELECT count(*)::INTEGER AS n FROM core.tender_contacts WHERE contact_id IS NOT NULL')).toEqual([
    { n: 40 },
  ]);
  const ways = 'SELECT received_via AS via, count(*)::INTEGER AS n FROM core.watch_events GROUP BY ALL';
  expect(await query(ways)).toEqual([{ via: 'both', n: 25 }]);
  expect(await query(`SELECT count(*)::INTEGER AS n FROM ops.rejects WHERE stream = 'watch_events'`)).toEqual([
    { n: 4 },
  ]);
  expect(markers.length).toBeGreaterThan(100);
  expect(await findTexts(stub.project.dataDir, markers)).toEqual([]);
});

it('shows no name to Temporal, in logs or in command output', async () => {
  const texts = [...printed, receiver.output(), stub.worker.output()];
  for await (const { workflowId } of stub.temporal.client.workflow.list()) {
    texts.push(JSON.stringify(await stub.temporal.client.workflow.getHandle(workflowId).fetchHistory()));
  }
  expect(texts.length).toBeGreaterThan(8);
  expect(markers.filter((marker) => texts.some((text) => text.includes(marker)))).toEqual([]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
