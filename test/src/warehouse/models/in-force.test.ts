import { expect, it } from 'vitest';
import { modelsInForce } from '../../../../src/warehouse/models/in-force.js';
import { parseModel, type Model } from '../../../../src/warehouse/models/models.js';

/** A model `marts.<name>` with its parents and its last day. */
function model(name: string, { reads = [], until }: { reads?: string[]; until?: string } = {}): Model {
  const date = until === undefined ? '' : `deprecation_date: ${until}\n`;
  const text = `/*\nmodel: marts.${name}\nkind: table\nversion: 1\n${date}grain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n*/\nSELECT 1\n`;
  const parents = reads.map((parent) => `marts.${parent}`);
  return { ...parseModel({ name: `marts/${name}.sql`, text }), parents, fingerprint: name };
}

function split(models: Model[], day: string) {
  const { models: served, overdue } = modelsInForce(models, day);
  const names = (some: readonly Model[]) => some.map((one) => one.name);
  return { served: names(served), overdue };
}

it('serves a model on its last day and retires it on the next', () => {
  const models = [model('old', { until: '2026-12-31' }), model('thing')];
  expect(split(models, '2026-12-31')).toEqual({ served: ['marts.old', 'marts.thing'], overdue: [] });
  expect(split(models, '2027-01-01')).toEqual({ served: ['marts.thing'], overdue: [] });
});

it('keeps all that a served model reads, and names each reader', () => {
  const past = { until: '2026-12-31' };
  const models = [
    model('base', past),
    model('old', { ...past, reads: ['base'] }),
    model('one', { reads: ['old'] }),
    model('two', { reads: ['old', 'base'] }),
    model('unread', past),
  ];
  expect(split(models, '2027-01-01')).toEqual({
    served: ['marts.base', 'marts.old', 'marts.one', 'marts.two'],
    overdue: [
      'marts.base should be removed after 2026-12-31, but these models still read it: marts.old, marts.two.',
      'marts.old should be removed after 2026-12-31, but these models still read it: marts.one, marts.two.',
    ],
  });
});

it('retires a model that only retired models read', () => {
  const models = [
    model('old', { until: '2026-12-30' }),
    model('reader', { until: '2026-12-30', reads: ['old'] }),
    model('last', { until: '2026-12-31' }),
  ];
  expect(split(models, '2026-12-31')).toEqual({
    served: ['marts.last'],
    overdue: [],
  });
});
