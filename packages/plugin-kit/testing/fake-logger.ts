import type { Logger } from '../contract/services.ts';

export interface LogEntry {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its entries. */
export const createFakeLogger = (): { readonly logger: Logger; readonly entries: readonly LogEntry[] } => {
  const entries: LogEntry[] = [];
  const record =
    (level: keyof Logger): Logger['info'] =>
    (message, fields = {}) =>
      void entries.push({ level, message, fields });
  return {
    entries,
    logger: { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') },
  };
};
