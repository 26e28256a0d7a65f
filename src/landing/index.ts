export { adoptSpools } from './adopt-spools.js';
export {
  encodeFrame,
  frameOf,
  headOf,
  parseFrames,
  rowOf,
  stripFrame,
  textOf,
  type Frame,
  type NewRow,
} from './frames.js';
export { landFrames, SPOOL_LIMITS, type SpoolLimits } from './land-spool.js';
export { finishListing, ListingWriter } from './listing-writer.js';
export {
  findReplacing,
  newestStamp,
  readManifests,
  readPartRows,
  readRunRows,
  recentParts,
  type LandedPart,
} from './manifest.js';
export { chunkOfPiece, refuseOld } from './pieces.js';
export { READ_BY_CRAWL, dropFiles, listLanded, pullManifests, pullParts, pullRows, takeRows } from './pull.js';
export { landRows, PartWriter, placeManifest } from './part-writer.js';
export {
  manifestFile,
  manifestName,
  manifestsDir,
  partName,
  chunkOfSpool,
  runFolders,
  spoolFile,
  spoolsDir,
  type PartTarget,
} from './paths.js';
export {
  listQuarantine,
  quarantineManifest,
  quarantinePart,
  readLostManifest,
  readQuarantine,
  returnPart,
} from './quarantine.js';
export { Spool } from './spool.js';
export { decodePart, encodePart, footerOf } from './parquet.js';
