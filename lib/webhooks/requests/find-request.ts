import { operatorError } from '../../shared/operator-errors.ts';
import { parseRecordId, type RequestRecord } from './request-record.ts';
import type { RequestStore } from './request-store.ts';

/** @throws AppError `REQUEST_NOT_FOUND` | `STORE_UNAVAILABLE` */
export const findRequest = async (id: string, store: Pick<RequestStore, 'find'>): Promise<RequestRecord> => {
  const key = parseRecordId(id);
  const record = key === null ? null : await store.find(key.workflowId, key.place);
  if (record !== null) return record;
  throw operatorError('REQUEST_NOT_FOUND', { id: key === null ? 'with this id' : id });
};
