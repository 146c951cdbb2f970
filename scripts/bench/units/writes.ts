import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Context } from 'aws-lambda';
import { createDurableFunction } from '../../../lib/adapters/durable/durable-function.ts';
import { createExpressFunction } from '../../../lib/app/express-handler.ts';
import { createWebhookFunction } from '../../../lib/app/webhook-handler.ts';
import type { BackgroundMode } from '../../../lib/workflows/definition/definition.ts';
import { startInternalServer } from '../../../local/net/listen.ts';
import { aDurableEngine } from '../../../tests/support/a-durable-engine.ts';
import { createEvent, openService, order, storeWorkflow, toChain } from '../bench-service.ts';
import type { Link } from '../chains.ts';
import { printTable } from '../measure.ts';
import { fourNodes } from '../requests/four-nodes.ts';
import { startCountingDatabase, type Units } from './count-units.ts';

interface KindOfRun {
  readonly title: string;
  readonly chain: readonly Link[];
  /** Null when the caller waits. */
  readonly mode: BackgroundMode | null;
  /** Whether the delivery has a key. */
  readonly isKeyed?: boolean;
}

const pure = fourNodes();

const effectful = (length: number, url: string): readonly Link[] =>
  Array.from({ length }, () => ({ type: 'httpRequest', parameters: { url } }));

const kindsOfRun = (url: string): readonly KindOfRun[] => [
  { title: 'synchronous, 4 pure nodes', chain: pure, mode: null },
  { title: '… with a delivery key', chain: pure, mode: null, isKeyed: true },
  { title: 'synchronous, 1 effectful node', chain: effectful(1, url), mode: null },
  { title: 'express, 4 pure nodes', chain: pure, mode: 'express' },
  {
    title: 'durable, 50 pure nodes',
    chain: Array(50).fill({ type: 'set', parameters: { values: { known: true } } }),
    mode: 'durable',
  },
  { title: 'durable, 5 effectful nodes', chain: effectful(5, url), mode: 'durable' },
  { title: 'durable, a wait', chain: [{ type: 'wait', parameters: { seconds: 60 } }], mode: 'durable' },
];

/** The units of one run of each kind, without and with an event bus; with a body of 1 kB, its workflow not cached. */
export const countUnits = async () => {
  const database = await startCountingDatabase();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(order));
  });
  const { endpoint, stop } = await startInternalServer(server);
  const counted: { readonly title: string; readonly units: Units; readonly withBus: Units }[] = [];
  for (const [at, kind] of kindsOfRun(endpoint).entries()) {
    const id = `kind-${at}`;
    const { chain, mode } = kind;
    const responseMode = mode === null ? 'lastNode' : 'onReceived';
    const settings = mode === null ? {} : { settings: { execution: mode } };
    await storeWorkflow(database.uncountedEndpoint, { ...toChain(id, responseMode, chain), ...settings });
    const runOnce = async (usesOutbox: boolean): Promise<Units> => {
      await run(id, kind, database.endpoint, usesOutbox);
      return database.take();
    };
    counted.push({ title: kind.title, units: await runOnce(false), withBus: await runOnce(true) });
  }
  await stop();
  await database.stop();
  return counted;
};

/** The request, and the run in the background if it has one. */
const run = async (
  workflowId: string,
  { mode, title, isKeyed = false }: KindOfRun,
  endpoint: string,
  usesOutbox: boolean,
): Promise<void> => {
  const { webhook, runs } = openService(endpoint);
  const bus = { events: { publish: async () => {} }, usesOutbox };
  const dispatched: string[] = [];
  const dispatcher = { dispatch: async (executionId: string) => void dispatched.push(executionId) };
  const headers = isKeyed ? { 'idempotency-key': `"${randomUUID()}"` } : {};
  const event = createEvent(workflowId, JSON.stringify(order), headers);
  const answer = await createWebhookFunction({ ...webhook, ...bus, dispatcher })(event, {} as Context);
  if (answer.statusCode !== (mode === null ? 200 : 202))
    throw new Error(`${title}: ${JSON.stringify(answer)}`);

  const [executionId] = dispatched;
  if (mode === 'express') {
    await createExpressFunction({ ...runs, ...bus })({ executionId }, { awsRequestId: 'request' });
  }
  if (mode === 'durable') {
    const { status } = await aDurableEngine({
      input: { executionId },
      createHandler: (client) => createDurableFunction({ ...runs, ...bus, client }),
    }).run();
    if (status !== 'succeeded') throw new Error(`${title}: ${status}`);
  }
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
