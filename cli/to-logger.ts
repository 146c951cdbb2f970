import type { Logger } from '../lib/contract/services.ts';
import type { Io } from './io.ts';

/** Shows warnings: what failed without failing the command. An unpublished event, an error in the log, is expected here. */
export const toLogger = (io: Io): Logger => ({
  debug: () => {},
  info: () => {},
  warn: (message) => io.note(io.paint('yellow', message)),
  error: () => {},
});
