import type { AppError } from '../../../shared/errors.ts';
import { operatorError } from '../../../shared/operator-errors.ts';

/** The error of an item that this release does not read; last, the versions that it reads. */
export const toVersionError = (
  table = '',
  version: number,
  [oldest, newest]: readonly [number, number],
): AppError<'DATA_VERSION_UNSUPPORTED'> =>
  operatorError('DATA_VERSION_UNSUPPORTED', { table, version, oldest, newest });
