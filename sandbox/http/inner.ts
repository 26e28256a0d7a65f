import { randomBytes } from 'node:crypto';

/**
 * Header of a request that one route of the sandbox sends to another. Such a request is not counted and gets no fault.
 */
export const INNER_HEADER = 'x-sandbox-inner';
/** Value of the header. It is random for each process, so that a client cannot send it. */
export const INNER_SECRET = randomBytes(16).toString('hex');
