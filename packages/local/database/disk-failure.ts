import { StartError } from 'lambda-stage/database';

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? '');

/** The cause is only in LevelDB's message, in the operating system's wording. */
const FULL = /No space left on device|Disk quota exceeded|File too large|ENOSPC|EDQUOT|EFBIG/;

/**
 * Explains a failed write to the tables or another file of the service.
 *
 * @param place - the data folder
 * @returns the error with a sentence for the user; any other error unchanged
 */
const toDiskError = (error: unknown, place: string): unknown => {
  if (!(error instanceof Error) || error instanceof StartError) return error;
  const { message } = error.cause instanceof Error ? error.cause : error;
  const isFull = FULL.test(`${codeOf(error)} ${message}`);
  if (codeOf(error) !== 'LEVEL_IO_ERROR' && !isFull) return error;
  const what = isFull ? `The disk is full: ${place} can't be written` : `${place} can't be written`;
  const remedy = isFull ? 'Free some space, then start' : 'Start';
  return new StartError(
    `${what} (${message}). ${remedy} the service again: everything it acknowledged is stored.`,
    { cause: error },
  );
};

/**
 * Ends the process on a failed write and says why. The embedded DynamoDB throws write errors outside of any call; after
 * that, none of its writes can be trusted.
 *
 * @returns a function that does the same for a caught error
 */
export const endOnFailure = (place: string): ((error: unknown) => never) => {
  const end = (error: unknown): never => {
    const shown = toDiskError(error, place);
    process.stderr.write(shown instanceof StartError ? `${shown.message}\n` : `${(shown as Error).stack}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', end);
  return end;
};
