import { BODY_TOO_LARGE } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

/** Checks the size of an event's body before it is decoded. @throws AppError `BODY_TOO_LARGE` */
export const limitBody = (event: unknown, limitBytes: number): void => {
  if (typeof event !== 'object' || event === null || !('body' in event)) return;
  if (typeof event.body !== 'string') return;
  const isBase64 = 'isBase64Encoded' in event && event.isBase64Encoded === true;
  if (Buffer.byteLength(event.body, isBase64 ? 'base64' : 'utf8') > limitBytes) {
    throw new AppError(BODY_TOO_LARGE, { limitBytes });
  }
};
