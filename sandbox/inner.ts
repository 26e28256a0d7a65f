import { randomBytes } from 'node:crypto';

/** Marks a request that one route of the sandbox makes to another: it is not counted and meets no scripted fault. */
export const INNER_HEADER = 'x-sandbox-inner';
export const INNER_SECRET = randomBytes(16).toString('hex');
