import type { Context } from 'aws-lambda';
import { createWebhookFunction } from '../../../lib/app/webhook-handler.ts';
import { createEvent, order, toChain } from '../bench-service.ts';
import type { Link } from '../chains.ts';
import { formatSpread, measure, printTable } from '../measure.ts';
import { openWebhookOf } from './recorded-request.ts';

const BYTES = 5_000_000;

const chain = (condition: string): readonly Link[] => [
  ...Array.from({ length: 20 }, (_, at) => ({
    type: 'set',
    parameters: { values: { last: at }, keepInput: true },
  })),
  { type: 'filter', parameters: { condition } },
  { type: 'set', parameters: { values: { ok: true } } },
];

const runs: readonly (readonly [title: string, condition: string, status: number])[] = [
  ['succeeds', '{{ body.orders[0].name = "Ada" }}', 200],
  ['fails at its last but one node', '{{ body.orders[0].name }}', 500],
];

/** A large body through many nodes; a failing run records each node's input and output. */
export const benchLargeBodies = async (): Promise<void> => {
  const orders = Array(Math.round(BYTES / JSON.stringify(order).length)).fill(order);
  const event = JSON.stringify(createEvent('large', JSON.stringify({ orders })));
  const opened = await Promise.all(
    runs.map(([, condition]) => openWebhookOf(toChain('large', 'lastNode', chain(condition)))),
  );
  const handlers = opened.map(({ parts }) => createWebhookFunction(parts));
  const figures = await measure(
    runs.map(([title, , status], at) => async () => {
      const answer = await handlers[at]?.(JSON.parse(event), {} as Context);
      if (answer?.statusCode !== status) throw new Error(`${title}: ${JSON.stringify(answer)}`);
    }),
  );
  printTable(
    `A synchronous request through 20 set nodes, with a body of ${BYTES / 1e6} MB`,
    ['', 'CPU ms', '', '× succeeding'],
    figures.map((figure, at) => [
      runs[at]?.[0] ?? '',
      (figure.median / 1_000).toFixed(0),
      formatSpread(figure),
      (figure.median / (figures[0]?.median ?? Number.NaN)).toFixed(2),
    ]),
  );
  for (const { stop } of opened) stop();
};
