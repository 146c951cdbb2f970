import type { Context } from 'aws-lambda';
import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { createEventBridgeEvents } from '../../../lib/adapters/events/event-bus.chunk.ts';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { createWebhookFunction } from '../../../lib/app/webhook-handler.ts';
import type { ExecutionStore } from '../../../lib/executions/record/execution-store.ts';
import { createHandler } from '../../../lib/http/create-handler.ts';
import { answerJson } from '../../../lib/shared/answer.ts';
import { createEvent, type Link, order, toChain } from '../bench-service.ts';
import {
  formatSpread,
  measure,
  measureGarbage,
  measureLatency,
  measureRequests,
  printTable,
} from '../measure.ts';
import { createBareHandler } from './bare-handler.ts';
import { openWebhookOf } from './recorded-request.ts';

const context = {} as Context;
const body = JSON.stringify(order);

/** The nodes after the trigger: set → filter → set; the output of the last one is the response. */
export const fourNodes = (condition = '{{ known }}'): readonly Link[] => [
  { type: 'set', parameters: { values: { name: '{{ body.name }}', known: true } } },
  { type: 'filter', parameters: { condition } },
  { type: 'set', parameters: { values: { greeting: 'Hello, {{ name }}' } } },
];

/** The part of a store that a synchronous run uses. */
const noRecords = {
  startAndFinish: async () => true,
} as Partial<ExecutionStore> as ExecutionStore;

/** The cost of a synchronous request with four nodes, compared with a bare handler. */
export const benchFourNodes = async (): Promise<void> => {
  const plain = await openWebhookOf(toChain('hello', 'lastNode', fourNodes()));
  const jsonata = await openWebhookOf(toChain('hello', 'lastNode', fourNodes('{{ $length(name) > 0 }}')));
  const settings = { ...plain.parts.settings, cacheTtlMs: 3_600_000 };
  const parts = { ...plain.parts, settings };
  const callEvents = createAwsCaller({ service: 'events', region: 'us-east-1', endpoint: plain.endpoint });
  const bus = { events: createEventBridgeEvents(callEvents, { busName: 'default' }), usesOutbox: true };

  const event = JSON.stringify(createEvent('hello', body));
  // A new event for each call, as on Lambda.
  const calling = (handler: (event: never, context: Context) => unknown) => () =>
    handler(JSON.parse(event) as never, context);
  const bare = createBareHandler(plain.endpoint, plain.writes);
  const middleware = createHandler({ logger: parts.logger, clock: systemClock }, async (given) =>
    answerJson(200, { greeting: `Hello, ${JSON.parse((given.event as { body: string }).body).name}` }),
  );
  const count = `the same ${plain.writes.length} write${plain.writes.length === 1 ? '' : 's'}`;

  const calls: [string, () => unknown][] = [
    [`a bare handler with ${count}`, calling(bare)],
    ['a bare handler without a store', calling(createBareHandler(plain.endpoint, []))],
    ['the same behind the middleware stack', calling(middleware)],
    [
      'webhook, four nodes, without a store',
      calling(createWebhookFunction({ ...parts, executions: noRecords })),
    ],
    [
      'the same with one expression in JSONata',
      calling(createWebhookFunction({ ...jsonata.parts, settings, executions: noRecords })),
    ],
    ['webhook, four nodes, as deployed', calling(createWebhookFunction(parts))],
    [
      'the same, the workflow not cached',
      calling(createWebhookFunction({ ...parts, settings: { ...settings, cacheTtlMs: 0 } })),
    ],
    ['the same as deployed, with an event bus', calling(createWebhookFunction({ ...parts, ...bus }))],
  ];
  for (const [title, call] of calls) {
    const answer = await call();
    if ((answer as { body?: string }).body !== '{"greeting":"Hello, Ada"}') {
      throw new Error(`${title}: ${JSON.stringify(answer)}`);
    }
  }
  const quiet = await measureRequests(calls.map(([, call]) => call));
  const busy = await measure(calls.map(([, call]) => call));
  const rows: string[][] = [];
  for (const [at, [title, call]] of calls.entries()) {
    const ratios = [quiet, busy].flatMap((figures) => {
      const { median, spread } = figures[at] ?? { median: Number.NaN, spread: Number.NaN };
      const ratio = median / (figures[0]?.median ?? Number.NaN);
      return [median.toFixed(0), formatSpread({ median, spread }), ratio.toFixed(2)];
    });
    const { p50, p99 } = await measureLatency(call);
    const { allocated, surviving } = await measureGarbage(call);
    const kilobytes = [allocated, surviving].map((bytes) => (bytes / 1_024).toFixed(0));
    rows.push([title, ...ratios, p50.toFixed(0), p99.toFixed(0), ...kilobytes]);
  }
  printTable(
    'One request with a body of 1 kB, in this process, alternating with the others: CPU µs with empty caches and in a loop, time in a loop, kB that it allocates, and that outlive it',
    ['', 'empty caches', '', '× bare', 'loop', '', '× bare', 'p50 µs', 'p99 µs', 'kB', 'outlive'],
    rows,
  );
  plain.stop();
  jsonata.stop();
};
