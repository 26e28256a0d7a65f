export { readManifests, readPartRows, readRunRows, type LandedPart } from './manifest.js';
export { landRows, PartWriter, type NewRow } from './part-writer.js';
export { landingDir, runFolder, type PartTarget } from './paths.js';
export { decodePart, encodePart } from './parquet.js';
