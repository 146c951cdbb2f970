import { expect, test } from '@jest/globals';
import type { NodeContext } from '../../lib/contract/node.ts';
import { type ANode, runGraph } from '../support/a-run.ts';

const takenApart: ANode['does'] = async (_node, _input, context) => {
  const { remainingMs, signal, services, logger, idempotencyKey } = context;
  const { now, sleep } = services.clock;
  logger.info('at work');
  await sleep(400, signal);
  return { left: remainingMs(), key: idempotencyKey, isAborted: signal.aborted, knowsTime: now() > 0 };
};

/** As an author wraps a context to lend a service of his own. */
const spread: ANode['does'] = (node, input, context) => {
  const mine: NodeContext = { ...context };
  return takenApart(node, input, mine);
};

test.each<[string, ANode]>([
  ['takes its context apart', { does: takenApart }],
  ['hands on a copy of its context', { does: spread }],
  ['takes its context apart, and touches the outside', { does: takenApart, pure: false }],
])('a node that %s finds everything in it', async (_case, node) => {
  const result = await runGraph({
    nodes: { slow: { ...node, settings: { timeoutSeconds: 1 } } },
    edges: ['start -> slow'],
  });
  expect(result.failure).toBeNull();
  expect(result.output).toEqual({ left: 600, key: 'e-1/slow/0', isAborted: false, knowsTime: true });
});

test('a copy of the context hears that the time of the attempt is up', async () => {
  let signal: AbortSignal | undefined;
  const result = await runGraph({
    nodes: {
      slow: {
        does: (_node, _input, context) => {
          ({ signal } = { ...context });
          return new Promise(() => {});
        },
        settings: { timeoutSeconds: 1 },
      },
    },
    edges: ['start -> slow'],
  });
  expect(result.failure).toMatchObject({ name: 'TimeoutError', message: 'the node took longer than 1 s' });
  expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
});
