import { type LentCredential, type Logger, lazy } from '@hookloom/plugin-kit';
import type { PlanNode } from '../workflows/plan/plan.ts';
import type { Scrub } from './failure.ts';

/** The credentials that one execution borrows. */
interface ExecutionCredentials {
  /**
   * Lends a credential for one attempt.
   *
   * @param types - the types that the node takes
   * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
   */
  lend(credentialId: string, types: readonly string[]): Promise<LentCredential>;
  /**
   * Removes the secrets of all credentials lent so far from a JSON value.
   * @returns the value itself when it holds none
   */
  scrub<Value>(value: Value): Value;
}

/** How the credentials of an execution are read. */
interface CredentialReading {
  /** Credentials to read together with the first one. */
  readonly credentialIds?: readonly string[];
  /** How long, in milliseconds, each may wait while the secret store throttles; 2,000 if absent. */
  readonly maxWaitMs?: number;
}

/** Lends credentials to executions. */
export interface CredentialSource {
  /** Called at the first node that has a credential. Does not wait for credentials to load. */
  open(reading?: CredentialReading): Promise<ExecutionCredentials>;
  /**
   * Loads credentials before anything about a run is recorded. A missing credential is no error here: its node fails
   * later.
   * @param maxWaitMs - as in {@link CredentialReading}
   * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
   */
  prefetch(credentialIds: readonly string[], maxWaitMs?: number): Promise<void>;
}

/**
 * The credentials that an execution borrows.
 * @param source - undefined if no node can borrow a credential
 */
export const borrowCredentials = (source: Pick<CredentialSource, 'open'> | undefined) => {
  let opened: ExecutionCredentials | null = null;
  let open: (() => Promise<ExecutionCredentials>) | undefined;
  const lend = async (credentialId: string, types: readonly string[]): Promise<LentCredential> => {
    if (source === undefined) throw new Error('there are no credentials here');
    open ??= lazy(() => source.open());
    opened = await open();
    return opened.lend(credentialId, types);
  };
  return {
    /** Null if the node has no credential, or is a trigger, whose credential verifies callers. */
    borrow: ({ node: { credentialId }, nodeType }: PlanNode): Promise<LentCredential> | null =>
      credentialId === undefined || nodeType.kind === 'trigger'
        ? null
        : lend(credentialId, nodeType.credentialTypes),
    scrub: <Value>(value: Value): Value => (opened === null ? value : opened.scrub(value)),
  };
};

type Fields = Readonly<Record<string, unknown>>;

/** Wraps a logger so that each entry is written without the secrets that `scrub` knows by then. */
export const createScrubbingLogger = (logger: Logger, scrub: Scrub): Logger => {
  const log = (level: keyof Logger, message: unknown, fields: Fields | undefined): void =>
    logger[level](scrub(String(message)), fields === undefined ? undefined : scrubFields(fields, scrub));
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
  };
};

/** Scrubs the fields as JSON, since they may be anything: errors with causes, objects with a `toJSON`. */
export const scrubFields = (fields: Fields, scrub: Scrub): Fields => {
  try {
    const data = JSON.parse(JSON.stringify(fields, toLoggedData)) as Fields;
    const scrubbed = scrub(data);
    return scrubbed === data ? fields : scrubbed;
  } catch {
    return { fields: '[cannot be written as JSON]' };
  }
};

/** For `JSON.stringify`: errors and large numbers as data. */
export const toLoggedData = (_name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, cause } = value;
  return { name, message, code: 'code' in value ? value.code : undefined, cause };
};
