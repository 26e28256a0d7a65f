import { expect, it } from 'vitest';
import { WorkflowType } from '../../../schemas/pipeline/run.js';
import { bundleId } from '../../../src/temporal/worker/bundle.js';
import { shouldPromote, versionWarnings } from '../../../src/temporal/versions.js';
import * as workflows from '../../../workflows/index.js';

const deployment = (current: string | null, ...replaced: string[]) => ({
  current,
  versions: ['old', 'new'].map((build) => ({ build, replaced: replaced.includes(build) })),
});

it('promotes a new version, but not a replaced one while the current version has a worker', () => {
  expect(shouldPromote('old', deployment(null), new Set(['old']))).toBe(true);
  expect(shouldPromote('new', deployment('old'), new Set(['old', 'new']))).toBe(true);
  expect(shouldPromote('new', deployment('new', 'old'), new Set(['new']))).toBe(false);
  expect(shouldPromote('old', deployment('new', 'old'), new Set(['old', 'new']))).toBe(false);
  expect(shouldPromote('old', deployment('new', 'old'), new Set(['old']))).toBe(true);
});

it('lets workers without a version take over only when the current version has no worker', () => {
  expect(shouldPromote(null, deployment('new'), new Set([null, 'new']))).toBe(false);
  expect(shouldPromote(null, deployment('new'), new Set([null]))).toBe(true);
  // After `promote unversioned`, a restarted worker with a version must not undo it.
  expect(shouldPromote('old', deployment(null, 'old', 'new'), new Set([null, 'old']))).toBe(false);
});

it('warns if no worker serves new runs or a pinned run', () => {
  const stranded = [{ workflowId: 'tenders/1', build: 'old' }];
  const state = { ...deployment('new', 'old'), live: new Set(['third']), pinned: stranded, stranded };
  const [absent, waiting, ...more] = versionWarnings(state);
  expect(absent).toMatch(/^New runs wait: .*version new, which has no worker\./);
  expect(waiting).toMatch(
    /^tenders\/1 waits: it is pinned to version old, which has no worker\..*`tidemark stop --run tenders\/1`\.$/,
  );
  expect(more).toEqual([]);
  expect(versionWarnings({ ...state, live: new Set(['new']), stranded: [] })).toEqual([]);
});

it('gives equal workflows in different folders one version, and changed workflows another', () => {
  const bundle = (folder: string, text: string) => ({
    // Webpack names a module that it leaves out by a hash of its folder.
    code: `start\n/***/ "${folder}/workflows/a.js":\n/*!${'*'.repeat(folder.length)}!*\\\n${text}\n/***/ "./node_modules/x/y.js":\nrequire("?${folder.length.toString(16)}ab")\n//# sourceMappingURL=data:${folder}`,
  });
  const id = bundleId(bundle('./node_modules/.cache/tidemark/build-1', 'a'));
  expect(bundleId(bundle('./zz/installed', 'a'))).toBe(id);
  expect(bundleId(bundle('./zz/installed', 'b'))).not.toBe(id);
});

it('pins only runs, because `tidemark stop` can end no other workflow', () => {
  const pinned = Object.entries(workflows)
    .filter(([type, workflow]) => type !== 'default' && !('workflowDefinitionOptions' in workflow))
    .map(([type]) => type);
  expect(WorkflowType.options).toEqual(expect.arrayContaining(pinned));
  expect(pinned).toContain('marketSnapshot');
});
