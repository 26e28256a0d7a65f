import { writeFileSync } from 'node:fs';
import { SCHEMA_FILE, schemaText } from './make-schema.js';

// `npm run config:schema` writes the JSON Schema of tidemark.yaml.
writeFileSync(SCHEMA_FILE, schemaText());
