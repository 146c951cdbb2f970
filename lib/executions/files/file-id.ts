/** Where a file comes from: the node run that saves it, and its number among the files of that run, starting at 1. */
interface FilePlace {
  readonly executionId: string;
  /** The key of the node run: see `nodeKeyOf`. */
  readonly nodeKey: string;
  readonly number: number;
}

/**
 * Computes the id of a file, which is the same in every attempt. Node ids contain no dot, so no file of one node run
 * can be a folder of another's.
 */
export const toFileId = ({ executionId, nodeKey, number }: FilePlace): string =>
  `${executionId}/${nodeKey}.${number}`;

const FILE_ID = /^([A-Za-z0-9_-]{1,64})\/((?:[A-Za-z0-9_-]+\/)+\d+\.\d+)$/;

const FILE_IN_TEXT = /"\$file":"([A-Za-z0-9_./-]{1,1000})"/g;

/** @returns the blob keys of all files that a JSON text names, each once, grouped by the execution that saved them */
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

/** @returns the last part of a path, without control characters and of limited length; `file` if nothing is left */
export const toFileName = (text: string): string => {
  const lastPart = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const printable = lastPart.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '').trim();
  return printable === '' || printable === '.' || printable === '..' ? 'file' : printable;
};

/** A media type: `type/subtype` and parameters (RFC 9110 §8.3.1), all of printable ASCII: it may become a header. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\dA-Za-z-]+\/[!#$%&'*+.^_`|~\dA-Za-z-]+(?: ?;[ -~]*)?$/;

/** @returns the media type, or `application/octet-stream` if it is not valid */
export const toMediaType = (text: string): string =>
  text.length <= MAX_NAME_LENGTH && MEDIA_TYPE.test(text) ? text : 'application/octet-stream';
