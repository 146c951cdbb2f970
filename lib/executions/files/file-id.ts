/** The place of a file: the node run that saves it, and its number among the files of that run, from 1. */
interface FilePlace {
  readonly executionId: string;
  /** See `nodeKeyOf`. */
  readonly nodeKey: string;
  readonly number: number;
}

/**
 * Computes the id of a file, the same in every attempt. Ids of nodes have no dot, so that no file of one node run can be
 * a folder of another's.
 */
export const toFileId = ({ executionId, nodeKey, number }: FilePlace): string =>
  `${executionId}/${nodeKey}.${number}`;

const FILE_ID = /^([A-Za-z0-9_-]{1,64})\/((?:[A-Za-z0-9_-]+\/)+\d+\.\d+)$/;

const FILE_IN_TEXT = /"\$file":"([A-Za-z0-9_./-]{1,1000})"/g;

/** @returns the keys of the blobs of all files that a JSON text names, each once, by the execution that has saved them */
export const findFiles = (
  text: string,
): readonly { readonly executionId: string; readonly blobKey: string }[] => {
  const ids = new Set([...text.matchAll(FILE_IN_TEXT)].map(([, id = '']) => id));
  return [...ids].flatMap((id) => parseFileId(id) ?? []);
};

/** S3's limit is 1,024 for a key. */
const MAX_ID_LENGTH = 1_000;

/** @returns null for a text that is not the id of a file */
export const parseFileId = (
  id: string,
): { readonly executionId: string; readonly blobKey: string } | null => {
  if (id.length > MAX_ID_LENGTH) return null;
  const [, executionId, path] = FILE_ID.exec(id) ?? [];
  if (executionId === undefined) return null;
  return { executionId, blobKey: `executions/${executionId}/files/${path}` };
};

const MAX_NAME_LENGTH = 255;

/** @returns the last part of a path, without control characters and bounded; `file` when nothing is left */
export const toFileName = (text: string): string => {
  const lastPart = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const printable = lastPart.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '').trim();
  return printable === '' || printable === '.' || printable === '..' ? 'file' : printable;
};

/** `type/subtype` and parameters (RFC 9110 §8.3.1), all of printable ASCII: it may become a header. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\dA-Za-z-]+\/[!#$%&'*+.^_`|~\dA-Za-z-]+(?: ?;[ -~]*)?$/;

/** @returns `application/octet-stream` in place of what is not a media type */
export const toMediaType = (text: string): string =>
  text.length <= MAX_NAME_LENGTH && MEDIA_TYPE.test(text) ? text : 'application/octet-stream';
