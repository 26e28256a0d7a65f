import { isLoopback } from '../base/loopback.js';
import type { Data } from '../store/data.js';

/** The block `fx` of the configuration. */
export interface RatesConfig {
  /** Absolute path or http(s) address of a CSV or Parquet file. */
  file: string;
  /** The file as the configuration names it. */
  name: string;
  /** Currency to which the rates refer, ISO 4217: a rate says how many units of a currency one unit of `base` costs. */
  base: string;
  /** Currency of the columns `*_reporting`, ISO 4217. */
  reporting: string;
}

/** Where exchange rates come from. */
export interface RatesSource extends RatesConfig {
  /** Keeps the last download. */
  data: Data;
}

/** A currency code of ISO 4217. */
export const CURRENCY = /^[A-Z]{3}$/;

/** Whether others on the network can change what comes from this address: it is plain http to another machine. */
export function isUnsafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Whether rates come from a web address. */
export function isAddress(file: string): boolean {
  return /^https?:\/\//i.test(file);
}
