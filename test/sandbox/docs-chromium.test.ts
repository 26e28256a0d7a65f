import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../helpers/chromium.js';
import { startApp, type Running } from './running.js';

const executablePath = findChromium();
let app: Running;
let browser: Browser;

beforeAll(async () => {
  if (executablePath === undefined) return;
  [app, browser] = await Promise.all([
    startApp(),
    chromium.launch({ executablePath, headless: true, args: ['--no-sandbox'] }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

describe.skipIf(executablePath === undefined)('/docs', () => {
  it('calls the API from the docs page without another host', async () => {
    const page = await browser.newPage();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${app.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(`Token ${app.sandbox.options.key}`);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('#operations-tag-Metrics').click();
    await page.locator('#operations-Metrics-get_v2_metrics .opblock-summary-control').click();
    await page.locator('#operations-Metrics-get_v2_metrics .execute').click();
    await expect.poll(async () => page.locator('.live-responses-table').textContent()).toContain('daily_browsing');
    expect([...hosts]).toEqual([new URL(app.url).host]);
    await page.close();
  });
});
