import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { DurableExecutionClient } from '@aws/durable-execution-sdk-js';
import type { Clock, Services } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { startInternalServer } from 'lambda-stage/net';
import { createDurableFunction } from '../../../lib/adapters/durable/durable-function.ts';
import { createMeasureRecord } from '../../../lib/adapters/dynamodb/executions/measure-record.ts';
import { openShowExecution } from '../../../lib/app/compose/admin.ts';
import { readConfig } from '../../../lib/app/config.ts';
import { createExpressFunction } from '../../../lib/app/express-handler.ts';
import { createSweepFunction } from '../../../lib/app/sweep-handler.ts';
import { createWebhookFunction } from '../../../lib/app/webhook-handler.ts';
import { type Usage, usageOf } from '../../../lib/executions/cost/usage.ts';
import type { BlobStore } from '../../../lib/executions/record/blob-store.ts';
import type { ExecutionEvents } from '../../../lib/executions/record/execution-store.ts';
import type { BackgroundMode } from '../../../lib/workflows/definition/definition.ts';
import type { WebhookFeatures } from '../../../lib/workflows/definition/path-config.ts';
import { aDurableEngine } from '../../../tests/support/a-durable-engine.ts';
import type { BackgroundCounts, StoredBytes } from '../../cost/billed-run.ts';
import {
  createEnvironment,
  createEvent,
  type Link,
  openService,
  order,
  storeWorkflow,
  toChain,
} from '../bench-service.ts';
import { printTable } from '../measure.ts';
import { fourNodes } from '../requests/four-nodes.ts';
import { countDurable, startCountingDatabase, type Units } from './count-units.ts';

interface KindOfRun {
  /** Title of the kind: the number of nodes, without the trigger. */
  readonly title: string;
  readonly chain: readonly Link[];
  /** How the run is executed in the background; null when the caller waits. */
  readonly mode: BackgroundMode | null;
  /** Whether the delivery has a key. */
  readonly isKeyed?: boolean;
  /** Defaults to an order of 1 kB. */
  readonly body?: string;
  /** Further parameters of the trigger. */
  readonly features?: WebhookFeatures;
}

const pure = fourNodes();

/** Date of every response to an effectful node, so that its size is the same in every run. */
const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';

const effectful = (length: number, url: string): readonly Link[] =>
  Array.from({ length }, () => ({ type: 'httpRequest', parameters: { url } }));

/** 50 kB of incompressible data, the same at every call. */
const largeBody = (): string => {
  const parts = Array.from({ length: 1_172 }, (_, at) => createHash('sha256').update(String(at)).digest());
  return JSON.stringify({ ...order, picture: Buffer.concat(parts).toString('base64') });
};

const kindsOfRun = (url: string): readonly KindOfRun[] => [
  { title: 'synchronous, 3 pure nodes', chain: pure, mode: null },
  { title: '… with a delivery key', chain: pure, mode: null, isKeyed: true },
  { title: 'synchronous, 1 effectful node', chain: effectful(1, url), mode: null },
  { title: 'express, 3 pure nodes', chain: pure, mode: 'express' },
  {
    title: '… with a rate limit',
    chain: pure,
    mode: 'express',
    features: { rateLimit: { requests: 100, seconds: 1, per: 'path' } },
  },
  {
    title: '… with a bound on concurrent runs',
    chain: pure,
    mode: 'express',
    features: { concurrency: { max: 5 } },
  },
  { title: '… stored during a pause', chain: pure, mode: 'express', features: { paused: 'store' } },
  { title: 'express, a request of 50 kB', chain: pure, mode: 'express', body: largeBody() },
  {
    title: 'durable, 50 pure nodes',
    chain: Array(50).fill({ type: 'set', parameters: { values: { known: true } } }),
    mode: 'durable',
  },
  { title: 'durable, 5 effectful nodes', chain: effectful(5, url), mode: 'durable' },
  {
    title: 'durable, a wait of a minute',
    chain: [{ type: 'wait', parameters: { seconds: 60 } }],
    mode: 'durable',
  },
];

interface CountedRun extends KindOfRun {
  readonly units: Units;
  readonly withBus: Units;
  readonly stored: StoredBytes;
  /** What the background part writes; null for a run without one. */
  readonly background: BackgroundCounts | null;
  /** What the service says of it, from its record. */
  readonly used: Usage;
  readonly usedWithBus: Usage;
}

/**
 * The units of one run of each kind, without and with an event bus; with a body of 1 kB, its workflow not cached.
 * Deterministic.
 */
export const countUnits = async (): Promise<CountedRun[]> => {
  const database = await startCountingDatabase();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', date: DATE }).end(JSON.stringify(order));
  });
  const { endpoint, stop } = await startInternalServer(server);
  const repeatable = createRepeatableServices();
  const counted: CountedRun[] = [];
  for (const [at, kind] of kindsOfRun(endpoint).entries()) {
    const workflowId = `kind-${at}`;
    const { chain, mode } = kind;
    const responseMode = mode === null ? 'lastNode' : 'onReceived';
    const settings = mode === null ? {} : { settings: { execution: mode } };
    const store = (features?: WebhookFeatures) =>
      storeWorkflow(database.uncountedEndpoint, {
        ...toChain(workflowId, responseMode, chain, features),
        ...settings,
      });
    const known = new Set<string>();
    const runOnce = async (usesOutbox: boolean) => {
      await store(kind.features);
      const { webhook, runs, sweep } = openService(database.endpoint);
      const before = await database.measureStored();
      const bucket = countBlobs();
      const services = { ...webhook.services, ...repeatable };
      const statuses: string[] = [];
      const events: ExecutionEvents = { publish: async ({ status }) => void statuses.push(status) };
      const replaced = { services, events, usesOutbox };
      const parts = {
        webhook: { ...webhook, ...replaced, blobs: bucket.count(webhook.blobs) },
        runs: { ...runs, ...replaced, blobs: bucket.count(runs.blobs) },
        sweep: { ...sweep, events, usesOutbox, clock: services.clock },
        resume: () => store(),
      };
      const background = await run(workflowId, kind, parts);
      if (String(statuses) !== 'succeeded') throw new Error(`${kind.title}: ${statuses}`);
      const units = database.take();
      const used = await readUsage(database.uncountedEndpoint, workflowId, usesOutbox, known);
      const after = await database.measureStored();
      const sizeOf = (table: string) => (after[table] ?? 0) - (before[table] ?? 0);
      const tables = { executions: sizeOf('executions'), deliveries: sizeOf('deliveries') };
      return { background, units, used, stored: { ...tables, ...bucket.take() } };
    };
    const withoutBus = await runOnce(false);
    const withBus = await runOnce(true);
    counted.push({ ...kind, ...withoutBus, withBus: withBus.units, usedWithBus: withBus.used });
  }
  await stop();
  await database.stop();
  return counted;
};

/** @param before - the executions that were there before */
const readUsage = async (
  endpoint: string,
  workflowId: string,
  hasBus: boolean,
  before: Set<string>,
): Promise<Usage> => {
  const { executions, client, tables } = openShowExecution(
    readConfig(createEnvironment('adminExecution', endpoint)),
  );
  const { executions: found } = await executions.list({ workflowId, limit: 10 });
  const { executionId = '' } = found.find((one) => !before.has(one.executionId)) ?? {};
  before.add(executionId);
  const record = await executions.find(executionId);
  const bytes = await createMeasureRecord(client, tables)(executionId);
  const usage = record === null ? null : usageOf(record, { bytes, hasBus });
  if (usage === null) throw new Error(`${workflowId}: its record does not say what it used`);
  return usage;
};

/** Counts traffic to and from a bucket. */
const countBlobs = () => {
  const sizes = new Map<string, number>();
  const requests = { blobPuts: 0, blobGets: 0 };
  return {
    count: (blobs: BlobStore): BlobStore => ({
      ...blobs,
      put: (key, bytes) => {
        requests.blobPuts += 1;
        sizes.set(key, bytes.length);
        return blobs.put(key, bytes);
      },
      get: (key) => {
        requests.blobGets += 1;
        return blobs.get(key);
      },
      remove: (key) => {
        sizes.delete(key);
        return blobs.remove(key);
      },
    }),
    take: () => ({ ...requests, blobs: [...sizes.values()].reduce((sum, size) => sum + size, 0) }),
  };
};

/**
 * The request and, if it has one, its background run.
 *
 * @returns what Lambda bills for the background run
 */
const run = async (
  workflowId: string,
  { mode, title, isKeyed = false, body = JSON.stringify(order) }: KindOfRun,
  { webhook, runs, sweep, resume }: ReturnType<typeof openService> & { readonly resume: () => Promise<void> },
): Promise<BackgroundCounts | null> => {
  const dispatched: string[] = [];
  const dispatcher = { dispatch: async (executionId: string) => void dispatched.push(executionId) };
  const headers = isKeyed ? { 'idempotency-key': `"${webhook.services.ids.next()}"` } : {};
  const event = createEvent(workflowId, body, headers);
  const { clock, ids } = webhook.services;
  const requestContext = {
    ...event.requestContext,
    requestId: ids.next().slice(-16),
    timeEpoch: clock.now(),
  };
  const answer = await createWebhookFunction({ ...webhook, dispatcher })(
    { ...event, requestContext },
    {} as Context,
  );
  if (answer.statusCode !== (mode === null ? 200 : 202))
    throw new Error(`${title}: ${JSON.stringify(answer)}`);

  if (dispatched.length === 0 && mode !== null) {
    await resume();
    await createSweepFunction({ ...sweep, dispatcher })({ queue: { workflowId, triggerNodeId: 'request' } });
  }
  const [executionId] = dispatched;
  if (mode === 'express') {
    await createExpressFunction(runs)({ executionId }, { awsRequestId: 'request' });
    return { operations: 0, bytes: 0, invocations: 1 };
  }
  if (mode === 'durable') {
    const createHandler = (client: DurableExecutionClient) => createDurableFunction({ ...runs, client });
    return countDurable(await aDurableEngine({ input: { executionId }, createHandler }).run());
  }
  return null;
};

export const benchWrites = async (): Promise<void> => {
  const counted = await countUnits();
  printTable(
    'DynamoDB: what one run is billed, indexes included; a body of 1 kB, the workflow not cached',
    ['', 'writes', 'write units', 'with an event bus', 'reads', 'read units'],
    counted.map(({ title, units, withBus }) => [
      title,
      String(units.writes),
      String(units.writeUnits),
      String(withBus.writeUnits),
      String(units.reads),
      String(units.readUnits),
    ]),
  );
};

/** Later than the stores' clock, so that nothing in a run expires. */
const FAR_AHEAD = Date.UTC(2100, 0, 1);

/**
 * A frozen clock and ids in a fixed order: otherwise the digits of a duration, or an id that compresses better, could
 * occasionally move an item across a unit boundary.
 */
const createRepeatableServices = (): Pick<Services, 'clock' | 'ids'> => {
  let count = 0;
  return {
    clock: { now: () => FAR_AHEAD, sleep: sleepForever },
    ids: { next: () => toUuid(createHash('sha256').update(String(count++)).digest('hex')) },
  };
};

/** A run on a slow machine writes no progress in between. */
const sleepForever: Clock['sleep'] = async (_ms, signal = new AbortController().signal) => {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};

/** Looks like a random UUID and is equally hard to compress. */
const toUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
