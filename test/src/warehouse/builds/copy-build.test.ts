import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { LocalFolder } from '../../../../src/store/local-folder.js';
import { describeCopies } from './copy-contract.js';

const root = mkdtempSync(path.join(tmpdir(), 'tidemark-remote-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let opened = 0;
describeCopies('a local folder', async () => new LocalFolder(path.join(root, String(opened++))));
