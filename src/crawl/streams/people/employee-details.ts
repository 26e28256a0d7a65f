import { recordWithoutPersonalData } from '../../../privacy/personal-data.js';
import { oneRow, type Fetcher } from '../../records/fetcher.js';

/** Fetches the record of one employee. */
export const employeeDetails: Fetcher = {
  ...oneRow((client, id, signal) => client.v2.employee(id, { signal })),
  withoutPersonalData: recordWithoutPersonalData,
};
