import { DATA_VERSION_UNSUPPORTED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';

/** The error for an item that this release can't read, which ends with the versions that it can. */
export const toVersionError = (
  table = '',
  version: number,
  [oldest, newest]: readonly [number, number],
): AppError<'DATA_VERSION_UNSUPPORTED'> =>
  new AppError(DATA_VERSION_UNSUPPORTED, { table, version, oldest, newest });
