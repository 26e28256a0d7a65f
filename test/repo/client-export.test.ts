import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/processes.js';

// Users of the client alone have a plain JavaScript project, so the published package must work without tsx.
it('imports the built tidemark/client from another package', () => {
  const consumer = mkdtempSync(path.join(tmpdir(), 'tidemark-consumer-'));
  try {
    const installed = path.join(consumer, 'node_modules', 'tidemark');
    mkdirSync(installed, { recursive: true });
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', path.join(installed, 'dist')], {
      cwd: ROOT,
    });
    cpSync(path.join(ROOT, 'package.json'), path.join(installed, 'package.json'));
    for (const dependency of ['zod', 'undici', 'character-entities']) {
      symlinkSync(path.join(ROOT, 'node_modules', dependency), path.join(consumer, 'node_modules', dependency));
    }
    writeFileSync(
      path.join(consumer, 'use.mjs'),
      `import { createApiClient, verifyWebhook } from 'tidemark/client';
       const client = createApiClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'consumer-key-0123', maxRetries: 0 });
       const error = await client.v2.metrics().catch((e) => e);
       await client.close();
       console.log(error.name, typeof verifyWebhook, typeof client.connector.oauth.signInWithKey);`,
    );
    const said = execFileSync(process.execPath, ['use.mjs'], { cwd: consumer, encoding: 'utf8' });
    expect(said.trim()).toBe('TransportError function function');
  } finally {
    rmSync(consumer, { recursive: true, force: true });
  }
});
