import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { StateContent, StateEntry } from './state-store.ts';

/** The entry, unless it has expired or was deleted. @param now - milliseconds since the epoch */
export const liveOf = (entry: StateEntry | null, now: number): StateEntry | null => {
  if (entry === null || entry.content.kind === 'deleted') return null;
  return entry.expiresAt !== null && entry.expiresAt <= now ? null : entry;
};

/**
 * An entry as nodes see it: a claim is shown as the execution that made it, and a large value that was not loaded as its size.
 * Times are ISO 8601.
 */
export const showEntry = ({ content, version, writtenAt, expiresAt }: StateEntry): JsonObject => ({
  value: showContent(content),
  ...(content.kind === 'large' ? { omittedBytes: content.bytes } : {}),
  version,
  writtenAt: toTime(writtenAt),
  expiresAt: toTime(expiresAt),
});

const showContent = (content: StateContent): JsonValue => {
  if (content.kind === 'value') return content.value;
  return content.kind !== 'claim'
    ? null
    : { claimedBy: content.executionId, confirmBy: toTime(content.confirmBy) };
};

const toTime = <Ms extends number | null>(ms: Ms): string | (Ms & null) =>
  (ms === null ? null : new Date(ms).toISOString()) as string | (Ms & null);
