import { MAX_HELD_DAYS } from '../../../executions/held/held-queues.ts';
import type {
  ExecutionData,
  ExecutionMode,
  ExecutionStart,
} from '../../../executions/record/execution-store.ts';
import { compact, type Item, number, optional, packed, readPacked, text } from '../attributes.ts';
import { OPEN_DAYS, SECONDS_PER_DAY, toExpiry } from './execution-item.ts';
import type { Change } from './execution-update.ts';

/** Express runs start within a day, if at all, and run for minutes. */
const EXPRESS_DAYS = 2;

/** How long the data of a background run is kept after its start. */
export const dataDays = (mode: ExecutionMode, retentionDays: number): number =>
  mode === 'express' ? EXPRESS_DAYS + retentionDays : OPEN_DAYS;

/** The key of an execution's data, in the table of the records. No execution id has a colon. */
export const dataKeyOf = (executionId: string): string => `data:${executionId}`;

export const toDataItem = (
  { executionId, mode, held, startedAt, input, callbackKey, retriedCheckpoints }: ExecutionStart,
  retentionDays: number,
): Item => {
  const days = dataDays(mode, retentionDays) + (held === null ? 0 : MAX_HELD_DAYS);
  return compact({
    executionId: text(dataKeyOf(executionId)),
    input: optional(input, packed),
    callbackKey: optional(callbackKey, text),
    retriedCheckpoints: optional(retriedCheckpoints, packed),
    expiresAt: number(toExpiry(startedAt, days)),
    retentionSeconds: number(retentionDays * SECONDS_PER_DAY),
  });
};

export const toData = (item: Item): ExecutionData => ({
  input: readPacked(item, 'input'),
  callbackKey: item.callbackKey?.S ?? null,
  retriedCheckpoints: readPacked(item, 'retriedCheckpoints'),
  checkpoints: readPacked(item, 'checkpoints'),
});

/** Keeps checkpoints and input, if given; at the end of an execution, as long as its record. */
export const toDataChange = (
  { input, checkpoints }: { readonly input?: string; readonly checkpoints?: string | null },
  ending: Pick<Change, 'compute' | 'values'>,
): Change => ({
  condition: input === undefined ? 'attribute_exists(#executionId)' : '',
  set: { input: optional(input, packed), checkpoints: optional(checkpoints, packed) },
  ...ending,
});
