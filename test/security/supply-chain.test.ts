import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../helpers/processes.js';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

interface Locked {
  version?: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  link?: boolean;
  hasInstallScript?: boolean;
}

describe('package-lock.json', () => {
  const packages = Object.entries(
    (JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }).packages,
  );
  const installed = packages.filter(([name]) => name !== '');

  it('locks one exact version of each package', () => {
    expect(installed.length).toBeGreaterThan(200);
    const odd = installed.filter(([, { version, link }]) => link || !/^\d+\.\d+\.\d+[\w.+-]*$/.test(version ?? ''));
    expect(odd.map(([name]) => name)).toEqual([]);
  });

  it('locks a hash for each package except binaries of other platforms (SECURITY.md)', () => {
    const bare = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    const ours = bare.filter(([, { optional, os, cpu }]) => !optional || (os === undefined && cpu === undefined));
    expect(ours.map(([name]) => name)).toEqual([]);
    const here = bare.filter(([, { os, cpu }]) => os?.includes(process.platform) && cpu?.includes(process.arch));
    if (process.platform === 'linux' && process.arch === 'x64')
      expect(here.filter(([name]) => !/musl/.test(name)).map(([name]) => name)).toEqual([]);
  });

  it('allows install scripts of known packages only', () => {
    // These scripts only fetch or check binaries that the lockfile names. The image is built without install scripts.
    const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
    expect(new Set(scripts.map((name) => name.replace(/^.*node_modules\//, '')))).toEqual(
      new Set(['protobufjs', '@swc/core', 'esbuild']),
    );
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');

  it('runs the image as user node', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
    expect(lines.indexOf('USER node')).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('COPY ')));
    expect(lines.indexOf('USER node')).toBeLessThan(lines.findIndex((line) => line.startsWith('ENTRYPOINT ')));
  });

  it('copies no secret into the image', () => {
    expect(lines.filter((line) => /^(ARG|ENV) .*(key|token|secret|password)/i.test(line))).toEqual([]);
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.git', '.env', '.env.*', '.npmrc', 'data', 'tidemark.yaml', '*.key', '*.pem']),
    );
    expect(lines.find((line) => line.includes('npm ci'))).toContain('--ignore-scripts');
  });
});

describe('docker-compose.yml', () => {
  interface Service {
    ports?: string[];
    secrets?: string[];
    environment?: Record<string, string>;
    cap_drop?: string[];
    security_opt?: string[];
    privileged?: boolean;
    build?: object;
  }
  const services = Object.entries(
    (parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> }).services,
  );

  it('publishes ports on 127.0.0.1 only', () => {
    const open = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(open.length).toBeGreaterThan(2);
    expect(open.filter((port) => !/ 127\.0\.0\.1:/.test(port))).toEqual([]);
  });

  it('drops all capabilities of the services of Tidemark and Temporal', () => {
    const ours = services.filter(([name]) => !['postgres', 'temporal-ui'].includes(name));
    expect(ours.length).toBeGreaterThan(7);
    for (const [name, service] of ours) {
      expect(service, name).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service.privileged, name).toBeUndefined();
    }
  });

  it('gives secrets as files, and each only to services that need it', () => {
    const given = services.flatMap(([name, { secrets = [] }]) => secrets.map((secret) => `${name} ${secret}`));
    expect(given).toEqual([
      'postgres postgres-password',
      'temporal-schema postgres-password',
      'temporal postgres-password',
      'crawl-worker api-key',
    ]);
    const variables = services.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(variables.filter((name) => /KEY|SECRET|PASSWORD|PWD/.test(name) && !name.endsWith('_FILE'))).toEqual([]);
  });
});
