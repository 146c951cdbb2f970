import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { Notice, NoticeIdentity } from './notice.ts';

/** A trigger that notices fire. */
export interface Receiver {
  /** Its workflow and trigger: `mail-me/notice`. */
  readonly name: string;
  readonly workflowId: string;
  /** The notices that it wants; null for all. */
  readonly kinds: readonly string[] | null;
  readonly workflows: readonly string[] | null;
  readonly tags: readonly string[] | null;
  /** How long a cause is only counted after it was sent. */
  readonly digestMs: number;
  /** Where the console is; null if messages have no links. */
  readonly consoleUrl: string | null;
}

const DIGEST_MINUTES = 15;

/** The receiver of a registered trigger. */
export const toReceiver = ({
  workflowId,
  triggerNodeId,
  parameters,
}: {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  readonly parameters: JsonObject;
}): Receiver => {
  const { kinds, workflows, tags, digestMinutes, consoleUrl } = isPlainObject(parameters) ? parameters : {};
  return {
    name: `${workflowId}/${triggerNodeId}`,
    workflowId,
    kinds: readList(kinds),
    workflows: readList(workflows),
    tags: readList(tags),
    digestMs: (typeof digestMinutes === 'number' ? digestMinutes : DIGEST_MINUTES) * 60_000,
    consoleUrl: typeof consoleUrl === 'string' ? consoleUrl : null,
  };
};

const readList = (value: JsonValue | undefined): readonly string[] | null =>
  Array.isArray(value) ? value.map(String) : null;

/** The workflow that a notice is about; null if it is about something else. */
export const workflowOf = ({ subject }: Pick<Notice, 'subject'>): string | null =>
  subject.startsWith('workflow:') ? subject.slice('workflow:'.length) : null;

/**
 * Whether a receiver wants a notice, apart from the tags of the workflow that it is about. Never one about its own
 * workflow, which would start it again with each of its failures.
 */
export const isFor = (
  { workflowId, kinds, workflows, tags }: Receiver,
  notice: Pick<NoticeIdentity, 'kind' | 'subject'>,
): boolean => {
  const about = workflowOf(notice);
  if (about === workflowId || kinds?.includes(notice.kind) === false) return false;
  if (about === null) return workflows === null && tags === null;
  return workflows === null || workflows.includes(about);
};
