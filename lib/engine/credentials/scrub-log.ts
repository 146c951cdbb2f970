import type { Logger } from '@hookloom/plugin-kit';

type Fields = Readonly<Record<string, unknown>>;

/** Removes secrets: see `ExecutionCredentials.scrub`. */
export type Scrub = <Value>(value: Value) => Value;

/** Wraps a logger so that each entry is written without the secrets that `scrub` knows by then. */
export const createScrubbingLogger = (logger: Logger, scrub: Scrub): Logger => {
  const log =
    (level: keyof Logger): Logger['info'] =>
    (message, fields) =>
      logger[level](scrub(String(message)), fields === undefined ? undefined : scrubFields(fields, scrub));
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
};

/** Scrubs the fields as JSON, since they may be anything: errors with causes, objects with a `toJSON`. */
export const scrubFields = (fields: Fields, scrub: Scrub): Fields => {
  try {
    const data = JSON.parse(JSON.stringify(fields, toData)) as Fields;
    const scrubbed = scrub(data);
    return scrubbed === data ? fields : scrubbed;
  } catch {
    return { fields: '[cannot be written as JSON]' };
  }
};

const toData = (_name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, cause } = value;
  return { name, message, code: 'code' in value ? value.code : undefined, cause };
};
