import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { ExecutionRecord } from '../../executions/record/execution-store.ts';
import type { StoredRegistration } from '../../triggers/registrations/registration-store.ts';

/** Starts a trigger with an event, once for its key, below a span, if there is one. @returns false if it starts nothing */
export type StartListener = (
  event: JsonObject,
  listener: StoredRegistration,
  traceparent?: string,
) => Promise<boolean>;

/** Sends notices to the receivers of the stage. */
export interface Notify {
  /** Counts a failure, and sends it if its cause is new. Throws as `createSendNotices`. */
  readonly raiseFailure: (
    record: Pick<ExecutionRecord, 'executionId' | 'workflowId' | 'endedAt' | 'failure'>,
  ) => Promise<void>;
  /** Sends what is due. Throws as `createSendNotices`. */
  readonly sendDue: () => Promise<void>;
}

/** Opens {@link Notify} with the registered receivers; loaded on first use. */
export type OpenNotify = (
  listeners: readonly StoredRegistration[],
  startListener: StartListener,
) => Promise<Notify>;

/** Whether an event asks for the notices that are due. */
export const isNoticeTick = ({ hookloom }: JsonObject): boolean =>
  isPlainObject(hookloom) && hookloom.notices === 'due';
