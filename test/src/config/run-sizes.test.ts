import { describe, expect, it } from 'vitest';
import { readRunSizes } from '../../../src/config/run-sizes.js';

describe('readRunSizes', () => {
  it('omits sizes that the environment does not set', () => {
    expect(readRunSizes({})).toEqual({});
    expect(readRunSizes({ TIDEMARK_EVENTS_PER_RUN: '', TIDEMARK_CHUNK_SIZE: ' ' })).toEqual({});
  });

  it('reads both sizes', () => {
    expect(readRunSizes({ TIDEMARK_EVENTS_PER_RUN: '40', TIDEMARK_CHUNK_SIZE: '10' })).toEqual({
      eventsPerRun: 40,
      chunkSize: 10,
    });
  });

  it.each(['19', '10001', '-40', '40.5', '4e1', 'many'])('rejects %s events per run', (text) => {
    expect(() => readRunSizes({ TIDEMARK_EVENTS_PER_RUN: text })).toThrow(
      /TIDEMARK_EVENTS_PER_RUN is not a whole number from 20 to 10,000/,
    );
  });

  it.each(['0', '1001'])('rejects %s entities in a chunk', (text) => {
    expect(() => readRunSizes({ TIDEMARK_CHUNK_SIZE: text })).toThrow(/from 1 to 1,000/);
  });
});
