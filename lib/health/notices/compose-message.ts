import type { JsonObject } from '@hookloom/plugin-kit';
import type { StoredNotice } from './notice.ts';
import { type Receiver, workflowOf } from './receiver.ts';

/** Notices in one message; the next one has what is left. */
export const MAX_NOTICES = 20;

const MAX_SUBJECT = 200;
const DAY_MS = 86_400_000;

/** What a receiver's workflow starts with. */
export interface NoticeMessage extends JsonObject {
  readonly subject: string;
  readonly text: string;
  readonly notices: readonly JsonObject[] & JsonObject[];
  /** How many further notices are due, and will be in the next message. */
  readonly more: number;
}

/** A notice with how much of it is new to the receiver. */
export interface DueNotice {
  readonly notice: StoredNotice;
  /** How often it was raised since the receiver's last message about it; null in the first one. */
  readonly since: number | null;
}

/** Writes the message about due notices, at most {@link MAX_NOTICES}. @param more - how many are left for the next */
export const composeMessage = (
  due: readonly DueNotice[],
  more: number,
  { consoleUrl }: Pick<Receiver, 'consoleUrl'>,
  stage: string,
): NoticeMessage => {
  const titles = due.map(({ notice }) => toTitle(notice));
  const count = due.length + more;
  const blocks = due.map(({ notice, since }) =>
    [toTitle(notice), toCounts(notice, since), toPlace(notice, consoleUrl, stage)]
      .filter((line) => line !== null)
      .join('\n'),
  );
  return {
    subject: clip(count === 1 ? (titles[0] ?? '') : `${count} notices: ${titles.join('; ')}`),
    text: [...blocks, ...(more === 0 ? [] : [`and ${more} more, in the next message`])].join('\n\n'),
    notices: due.map(({ notice }) => toFields(notice, consoleUrl)),
    more,
  };
};

const clip = (text: string): string =>
  text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`;

const toTitle = (notice: StoredNotice): string => {
  const { kind, message, nodeId, settledAt } = notice;
  if (kind !== 'failure') return settledAt === null ? message : `Over: ${message}`;
  const workflowId = workflowOf(notice);
  const place = nodeId === undefined ? '' : ` at "${nodeId}"`;
  if (settledAt === null) return `${workflowId} fails${place}: ${message}`;
  const end = isQuiet(notice) ? 'has not failed for a day' : 'works again';
  return `${workflowId} ${end}; it failed${place}: ${message}`;
};

/** When a failure that no success has ended counts as over. */
export const quietFrom = ({ lastAt }: Pick<StoredNotice, 'lastAt'>): number => lastAt + DAY_MS;

const isQuiet = (notice: StoredNotice): boolean => notice.settledAt === quietFrom(notice);

const toCounts = (
  { kind, count, firstAt, lastAt, settledAt }: StoredNotice,
  since: number | null,
): string | null => {
  if (kind !== 'failure') return `since ${toTime(firstAt)}`;
  const times = `${count} ${count === 1 ? 'time' : 'times'}`;
  const period =
    firstAt === lastAt ? `at ${toTime(firstAt)}` : `from ${toTime(firstAt)} to ${toTime(lastAt)}`;
  const isDigest = since !== null && settledAt === null;
  return isDigest
    ? `${since} more since the last message, ${times} in all, ${period}`
    : `${times}, ${period}`;
};

/** The link to the last execution, or the command that shows it. */
const toPlace = (notice: StoredNotice, consoleUrl: string | null, stage: string): string | null => {
  const { executionId } = notice;
  if (executionId === undefined) return null;
  return urlOf(notice, consoleUrl) ?? `hookloom execution show ${executionId} --stage ${stage}`;
};

const urlOf = ({ executionId }: StoredNotice, consoleUrl: string | null): string | null =>
  consoleUrl === null || executionId === undefined
    ? null
    : `${consoleUrl.endsWith('/') ? consoleUrl.slice(0, -1) : consoleUrl}/executions/${executionId}`;

/** A notice as messages and the admin API have it. */
export const toFields = (notice: StoredNotice, consoleUrl: string | null) => {
  const { kind, subject, nodeId, cause, message, count, firstAt, lastAt, executionId, settledAt } = notice;
  return {
    kind,
    subject,
    workflowId: workflowOf(notice),
    nodeId: nodeId ?? null,
    cause,
    message,
    count,
    firstAt: new Date(firstAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
    executionId: executionId ?? null,
    url: urlOf(notice, consoleUrl),
    status: settledAt === null ? ('open' as const) : ('settled' as const),
  };
};

const toTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
