import type { NodeRecord } from '../../engine/result.ts';
import { type ExecutionRecord, isFinal } from '../record/execution-store.ts';
import { assumptions, type PriceName, priceOf } from './prices.ts';

/** What AWS bills, and how much of the priced quantity one of it is. */
const BILLED = {
  requests: ['gatewayRequest', 1],
  invocations: ['lambdaRequest', 1],
  gigabyteSeconds: ['lambdaGigabyteSecond', 1],
  durableOperations: ['durableOperation', 1],
  durableBytes: ['durableGigabyte', 1e-9],
  writeUnits: ['writeUnit', 1],
  readUnits: ['readUnit', 1],
  objectsWritten: ['blobPut', 1],
  objectsRead: ['blobGet', 1],
  logBytes: ['logGigabyte', 1e-9],
  events: ['event', 1],
} as const satisfies Readonly<Record<string, readonly [PriceName, number]>>;

export type Billed = keyof typeof BILLED;

/** In the order in which statistics store them. */
export const billedNames = Object.keys(BILLED) as readonly Billed[];

/** What executions used. */
export interface Usage {
  readonly billed: Readonly<Record<Billed, number>>;
  /** Tokens of language models, by their kind: `inputTokens`. */
  readonly tokens: Readonly<Record<string, number>>;
  /** What nodes say that others charge for their calls, such as a model's provider; in millionths of a dollar. */
  readonly microDollars: number;
}

/** What a record does not say about itself. */
interface Measured {
  /** Bytes of its item. */
  readonly bytes: number;
  /** Whether its end was published to an event bus. */
  readonly hasBus: boolean;
}

/**
 * What an execution used, by the counts of its record: pure, so that nothing is counted on the way of a run.
 *
 * @returns null if it is open, or its record was written by a release that did not count
 */
export const usageOf = (record: ExecutionRecord, measured: Measured): Usage | null => {
  const { mode, status, endedAt, nodes, trigger } = record;
  if (!isFinal(status) || endedAt === null) return null;
  if (record.invocations > 0 && record.writes === undefined) return null;
  const background = mode === 'inline' ? 0 : Math.max(1, record.invocations);
  const callbacks = nodes.reduce((sum, node) => sum + (node.callbacks?.length ?? 0), 0);
  const isRequested = trigger.type === WEBHOOK || trigger.byHand === true;
  const operations = mode === 'durable' ? 1 + record.journalSize + countRepeats(nodes) : 0;
  const objects = record.inputUnits === 0 ? 1 : 0;
  const invocations = 1 + background + callbacks;
  const { functionMegabytes, requestMs, invocationMs, invocationLogBytes, eventLogBytes } = assumptions;
  const ms =
    requestMs.value * (1 + callbacks) + invocationMs.value * background + activeMsOf(record, endedAt);
  return {
    billed: {
      requests: (isRequested ? 1 : 0) + callbacks,
      invocations,
      gigabyteSeconds: (functionMegabytes.value / 1_024) * (ms / 1_000),
      durableOperations: operations,
      durableBytes: Math.max(0, operations - 1) * OPERATION_BYTES,
      writeUnits: countWrites(record, measured) + callbacks * CALLBACK_WRITES,
      readUnits: countReads(record, background),
      objectsWritten: objects,
      objectsRead: objects,
      logBytes: invocations * invocationLogBytes.value + (measured.hasBus ? 0 : eventLogBytes.value),
      events: measured.hasBus ? 1 : 0,
    },
    ...readReported(nodes),
  };
};

const WEBHOOK = 'webhookTrigger';

/** What a checkpoint has on average. */
const OPERATION_BYTES = 500;

/** Of the item of a pending callback, and of its list. */
const CALLBACK_WRITES = 4;

/** A Lambda function runs no longer. */
const MAX_PROCESS_MS = 900_000;

/** Each further attempt at a node is one more operation. */
const countRepeats = (nodes: readonly NodeRecord[]): number =>
  nodes.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0);

/** How long processes ran it. One process ran it from its first node to its end, unless it was suspended. */
const activeMsOf = ({ mode, startedAt, activeMs, nodes }: ExecutionRecord, endedAt: number): number => {
  if (activeMs !== undefined) return activeMs;
  const beganAt = mode === 'inline' ? startedAt : (nodes[0]?.startedAt ?? endedAt);
  return Math.min(MAX_PROCESS_MS, Math.max(0, endedAt - beganAt));
};

/**
 * A write takes the units of the larger item, before or after. The first writes have no nodes yet, and take one; each
 * entry that is put into an index, moved or removed is one more.
 */
const countWrites = (record: ExecutionRecord, { bytes, hasBus }: Measured): number => {
  const { mode, status, writes, invocations, keepsResult, inputUnits = 1, releasedAt } = record;
  const size = Math.max(1, Math.ceil(bytes / 1_024));
  const isBad = status !== 'succeeded';
  const data = Math.max(1, inputUnits);
  if (mode === 'inline') {
    const isWrittenOnce = writes === 0;
    const records = isWrittenOnce ? size : 1 + size;
    const entries = 2 + (isBad ? (isWrittenOnce ? 1 : 3) : 0);
    const delivery = keepsResult ? 1 : 0;
    return records + entries + delivery + (isBad ? data : 0) + (hasBus ? 2 + size : 0);
  }
  const small = invocations > 0 ? 2 : 1; // the start, and the first lease
  const records = small + Math.max(1, 2 + (writes ?? 0) - small) * size; // the last is the end
  const isDurable = mode === 'durable';
  const waits = isDurable ? Math.max(0, invocations - 1) : 0;
  const datas = data * (1 + waits + (isDurable || isBad ? 1 : 0));
  const delivery = record.trigger.type !== WEBHOOK && record.trigger.byHand !== true ? 1 : 0;
  const held = releasedAt === null ? 0 : HELD_WRITES;
  return records + datas + BACKGROUND_ENTRIES + (isBad ? 3 : 0) + delivery + held + (hasBus ? size : 0);
};

/** By workflow, by time, and into and out of the index of sweeps. */
const BACKGROUND_ENTRIES = 4;

/** Its release, its entry in the queue, and its way through the index of sweeps. */
const HELD_WRITES = 5;

/** Reads of the workflow, and for each process those of the record and its data. */
const countReads = ({ mode, keepsResult }: ExecutionRecord, background: number): number =>
  mode === 'inline' ? 0.5 + (keepsResult ? 1 : 0) : 1.5 + 2 * background;

/** The name under which a node counts what a call costs elsewhere. */
const MICRO_DOLLARS = 'microDollars';

/** Kinds of tokens in one sum. */
const MAX_KINDS = 10;

const readReported = (nodes: readonly NodeRecord[]): Pick<Usage, 'tokens' | 'microDollars'> => {
  let microDollars = 0;
  const tokens = new Map<string, number>();
  for (const { usage } of nodes) {
    if (usage === undefined) continue;
    microDollars += usage[MICRO_DOLLARS] ?? 0;
    for (const [name, amount] of Object.entries(usage))
      if (name.endsWith('Tokens')) addTo(tokens, name, amount);
  }
  return { microDollars, tokens: Object.fromEntries(tokens) };
};

const addTo = (tokens: Map<string, number>, name: string, amount: number): void => {
  const known = tokens.get(name);
  if (known !== undefined || tokens.size < MAX_KINDS) tokens.set(name, (known ?? 0) + amount);
};

export const addUsage = (one: Usage, other: Usage): Usage => {
  const tokens = new Map(Object.entries(one.tokens));
  for (const [name, amount] of Object.entries(other.tokens)) addTo(tokens, name, amount);
  const billed = billedNames.map((name) => [name, one.billed[name] + other.billed[name]]);
  return {
    billed: Object.fromEntries(billed) as Usage['billed'],
    tokens: Object.fromEntries(tokens),
    microDollars: one.microDollars + other.microDollars,
  };
};

export const noUsage: Usage = {
  billed: Object.fromEntries(billedNames.map((name) => [name, 0])) as Usage['billed'],
  tokens: {},
  microDollars: 0,
};

/** What the usage costs in a region, at list prices. @returns dollars */
export const costOf = ({ billed, microDollars }: Usage, region: string): number =>
  billedNames.reduce((sum, name) => {
    const [price, per] = BILLED[name];
    return sum + priceOf(price, billed[name] * per, region);
  }, microDollars / 1e6);
