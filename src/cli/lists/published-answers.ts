import type { Published } from '../../warehouse/builds/published.js';

/** Reads answers from the published warehouse. Returns `none` before the first publication. */
export async function readAnswers<Answers>(
  dataDir: string,
  read: (published: Published) => Promise<Answers>,
  none: Answers,
): Promise<Answers> {
  const [{ openPublished }, { NotPublishedError }] = await Promise.all([
    import('../../warehouse/builds/published.js'),
    import('../../warehouse/duckdb/errors.js'),
  ]);
  let published: Published;
  try {
    published = await openPublished(dataDir);
  } catch (error) {
    if (error instanceof NotPublishedError) return none;
    throw error;
  }
  return read(published).finally(() => published.close());
}
