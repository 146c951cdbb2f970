import { type FileValue, isPlainObject, SHA256 } from '@hookloom/plugin-kit';
import { toFileName, toMediaType } from '../../../executions/files/file-id.ts';
import { FILE_TOO_LARGE, UPLOAD_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';

/** Which files a webhook accepts. */
export interface FileLimits {
  readonly maxBytes: number;
  /** The accepted media types, in lower case; all if absent. */
  readonly mediaTypes?: readonly string[];
}

/** What a caller declares about a file before uploading it: the fields of its value. */
type Statement = Pick<FileValue, 'name' | 'mediaType' | 'size' | 'sha256'>;

const KEYS = ['name', 'mediaType', 'size', 'sha256'];

/**
 * Reads what a caller declares about a file, and nothing beyond the fields of its value.
 *
 * @param value - parsed JSON
 * @throws AppError `UPLOAD_INVALID` | `FILE_TOO_LARGE`
 */
export const readStatement = (value: unknown, { maxBytes, mediaTypes }: FileLimits): Statement => {
  if (!isPlainObject(value)) return refuse('the body must be a JSON object with size and sha256');
  const { name = 'file', mediaType = 'application/octet-stream', size, sha256 } = value;
  if (Object.keys(value).some((key) => !KEYS.includes(key))) refuse(`it may only have ${KEYS.join(', ')}`);
  if (typeof name !== 'string' || toFileName(name) !== name)
    return refuse('name must be a file name without folders, of at most 255 characters');
  if (typeof mediaType !== 'string' || toMediaType(mediaType) !== mediaType)
    return refuse('mediaType must be a media type, such as text/csv');
  if (mediaTypes?.some(isOneOf(mediaType)) === false)
    refuse(`mediaType must be one of ${mediaTypes.join(', ')}`);
  if (typeof sha256 !== 'string' || !SHA256.test(sha256))
    return refuse('sha256 must be the hash of the bytes: 64 lower-case hexadecimal digits');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return refuse('size must be the number of bytes');
  if (size > maxBytes) throw new AppError(FILE_TOO_LARGE, { name, limitBytes: maxBytes });
  return { name, mediaType, size, sha256 };
};

/** Tests a media type by type and subtype; `image/*` matches all images. */
const isOneOf = (mediaType: string) => {
  const [essence = ''] = mediaType.toLowerCase().split(';', 1);
  return (taken: string): boolean =>
    taken.endsWith('/*') ? essence.startsWith(taken.slice(0, -1)) : essence.trim() === taken;
};

const refuse = (reason: string): never => {
  throw new AppError(UPLOAD_INVALID, { reason });
};
