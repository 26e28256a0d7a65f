export { adoptSpools } from './adopt-spools.js';
export { readManifests, readPartRows, readRunRows, type LandedPart } from './manifest.js';
export { landRows, PartWriter, type NewRow } from './part-writer.js';
export { landingDir, manifestFile, manifestName, partName, runFolder, type PartTarget } from './paths.js';
export { decodePart, encodePart, footerOf } from './parquet.js';
