import type { Clock, JsonObject, Logger } from '@hookloom/plugin-kit';
import { createNoticeStore } from '../../adapters/dynamodb/notices/notice-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import type { Ports } from '../../executions/ports.ts';
import { toFailureNotice } from '../../health/notices/failure-notice.ts';
import type { NoticeStore } from '../../health/notices/notice.ts';
import { type Receiver, toReceiver } from '../../health/notices/receiver.ts';
import { createSendNotices } from '../../health/notices/send-notices.ts';
import type { StoredRegistration } from '../../triggers/registrations/registration-store.ts';
import type { Notify, StartListener } from '../triggers/notify.ts';

interface NotifyParts extends Pick<Ports, 'executions' | 'workflows'> {
  readonly store: NoticeStore;
  readonly stage: string;
  /** Origin of the local service, which prints notices to its terminal; null elsewhere. */
  readonly terminal: string | null;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** @internal */
export const openNotify = (
  { client, tables, ...parts }: Omit<NotifyParts, 'store'> & StageTables,
  listeners: readonly StoredRegistration[],
  startListener: StartListener,
): Notify => createNotify({ ...parts, store: createNoticeStore(client, tables) }, listeners, startListener);

/** Sends notices to the given receivers, and to the terminal of the local service. */
export const createNotify = (
  { terminal, executions, workflows, ...parts }: NotifyParts,
  listeners: readonly StoredRegistration[],
  startListener: StartListener,
): Notify => {
  const registered = new Map(listeners.map((listener) => [toReceiver(listener).name, listener]));
  const receivers = listeners.map(toReceiver);
  const send = createSendNotices({
    ...parts,
    receivers: terminal === null ? receivers : [...receivers, toTerminal(terminal)],
    start: async ({ name }, key, message) => {
      const listener = registered.get(name);
      if (listener !== undefined) return startListener({ notices: { key, message } }, listener);
      printMessage(message);
      return true;
    },
    findTags: async (workflowId) => (await workflows.find(workflowId))?.definition.tags ?? [],
    findSuccess: async (workflowId, after) => {
      const query = {
        workflowId,
        statuses: ['succeeded'],
        isTrial: false,
        from: after + 1,
        limit: 1,
      } as const;
      return (await executions.list(query)).executions[0]?.startedAt ?? null;
    },
  });
  return {
    raiseFailure: ({ executionId, workflowId, endedAt, failure }) =>
      send.raise(toFailureNotice({ executionId, workflowId, endedAt: endedAt ?? 0, failure })),
    sendDue: send.sendDue,
  };
};

/** The terminal of the local service as a receiver. No workflow has its id. */
const toTerminal = (origin: string): Receiver => ({
  ...toReceiver({ workflowId: ':terminal', triggerNodeId: '', parameters: {} }),
  consoleUrl: `${origin}/console`,
});

const printMessage = ({ subject, notices }: JsonObject): void => {
  const url = Array.isArray(notices) ? (notices[0] as JsonObject | undefined)?.url : null;
  process.stdout.write(`Notice: ${subject}${typeof url === 'string' ? ` ${url}` : ''}\n`);
};
