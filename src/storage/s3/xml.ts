import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { Entry } from '../storage.js';

/** One page of a list. */
export interface Page {
  entries: Entry[];
  /** Where the next page begins; undefined for the last page. */
  next: string | undefined;
}

/** Returns the code of an S3 error, such as `NoSuchKey`; undefined if the body is no such error. */
export function readErrorCode(body: string): string | undefined {
  if (!body.includes('<Error')) return undefined;
  const root = readRoot(body);
  const code = root?.name === 'Error' ? textOf(root, 'Code') : undefined;
  // Only letters: other text could contain what the server knows about the request.
  return code !== undefined && /^[A-Za-z]{1,64}$/.test(code) ? code : root?.name === 'Error' ? 'Error' : undefined;
}

/**
 * Reads an answer of ListObjectsV2.
 * @throws Error when the body is no such answer
 */
export function readPage(body: string): Page {
  const root = readRoot(body);
  if (root?.name !== 'ListBucketResult') throw new Error('the answer is no list of a bucket');
  const entries = childrenOf(root, 'Contents').map((entry) => {
    const [key, bytes] = [textOf(entry, 'Key'), Number(textOf(entry, 'Size'))];
    if (key === undefined || !Number.isSafeInteger(bytes)) throw new Error('the list has an entry without key or size');
    return { key, bytes };
  });
  if (textOf(root, 'IsTruncated') !== 'true') return { entries, next: undefined };
  const next = textOf(root, 'NextContinuationToken');
  if (!next) throw new Error('the list is truncated but names no next page');
  return { entries, next };
}

/** Returns the id of a new multipart upload; undefined if the body has none. */
export function readUploadId(body: string): string | undefined {
  const root = readRoot(body);
  return root === undefined ? undefined : textOf(root, 'UploadId') || undefined;
}

/** Writes the request that joins the pieces of a multipart upload. `etags` has the order of the pieces. */
export function writePieces(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>&quot;${etag}&quot;</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

function readRoot(body: string): XmlElement | undefined {
  try {
    return parseXml(body).root ?? undefined;
  } catch {
    return undefined;
  }
}

function childrenOf(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child) => child instanceof XmlElement).filter((child) => child.name === name);
}

function textOf(parent: XmlElement, name: string): string | undefined {
  return childrenOf(parent, name)[0]?.text;
}
