import type { AppError } from '../../../shared/errors.ts';
import { operatorError } from '../../../shared/operator-errors.ts';

/** The error for an item that this release can't read, which ends with the versions that it can. */
export const toVersionError = (
  table = '',
  version: number,
  [oldest, newest]: readonly [number, number],
): AppError<'DATA_VERSION_UNSUPPORTED'> =>
  operatorError('DATA_VERSION_UNSUPPORTED', { table, version, oldest, newest });
