import type { Command } from 'commander';
import { examples } from '../context.js';
import { registerCopy } from './copy.js';

/** `tidemark data …`: moves the data between a folder and a bucket. */
export function registerData(program: Command): void {
  const data = program
    .command('data')
    .summary('copy the data to another folder or a bucket')
    .description('copy the data to another folder, or between a folder and a bucket')
    .addHelpText('after', examples('tidemark data copy ./data s3://my-bucket/tidemark'));
  registerCopy(data);
}
