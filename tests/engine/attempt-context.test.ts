import type { NodeContext } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { type ANode, runGraph } from '../support/a-run.ts';

const destructures: ANode['does'] = async (_node, _input, context) => {
  const { remainingMs, signal, services, logger, idempotencyKey } = context;
  const { now, sleep } = services.clock;
  logger.info('at work');
  await sleep(400, signal);
  return { left: remainingMs(), key: idempotencyKey, isAborted: signal.aborted, knowsTime: now() > 0 };
};

/** As a plugin does to replace a service. */
const spread: ANode['does'] = (node, input, context) => {
  const mine: NodeContext = { ...context };
  return destructures(node, input, mine);
};

test.each<[string, ANode]>([
  ['destructures its context', { does: destructures }],
  ['copies its context', { does: spread }],
  ['destructures its context, and has side effects', { does: destructures, pure: false }],
])('a node that %s finds everything in it', async (_case, node) => {
  const result = await runGraph({
    nodes: { slow: { ...node, settings: { timeoutSeconds: 1 } } },
    edges: ['start -> slow'],
  });
  expect(result.failure).toBeNull();
  expect(result.output).toEqual({ left: 600, key: 'e-1/slow/0', isAborted: false, knowsTime: true });
});

test('what a node sends has the trace context of its run, in each iteration and attempt', async () => {
  const seen: unknown[] = [];
  const sends: ANode = {
    pure: false,
    does: (_node, _input, { traceparent, attempt }) => {
      seen.push(traceparent);
      if (attempt === 1) throw new Error('again');
      return {};
    },
    settings: { retry: { maxAttempts: 2 } },
  };
  const pure: ANode = { does: (_node, _input, { traceparent }) => ({ traceparent: traceparent ?? null }) };
  const graph = { nodes: { sends, pure }, edges: ['start -> sends', 'sends -> pure'] };
  const traced = await runGraph({ ...graph, ports: { traceparentOf: (key) => `of ${key}` } });
  expect(seen).toEqual(['of sends/0', 'of sends/0']);
  expect(traced.output).toEqual({ traceparent: null }); // which sends nothing
  await runGraph(graph);
  expect(seen.slice(2)).toEqual([undefined, undefined]);
});

test('the signal of a copied context is aborted when the attempt times out', async () => {
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

test('no time remains after a timeout, rather than less than none', async () => {
  const left: number[] = [];
  const sleeps =
    (ms: number): NonNullable<ANode['does']> =>
    async (_node, input, { services, remainingMs }) => {
      await services.clock.sleep(ms);
      left.push(remainingMs());
      return input;
    };
  await runGraph({
    nodes: {
      slow: { pure: false, does: sleeps(3_000), settings: { timeoutSeconds: 1, onError: 'continue' } },
      other: { pure: false, does: sleeps(5_000) },
    },
    edges: ['start -> slow', 'start -> other'],
  });
  expect(left).toEqual([0, 25_000]);
});

test('a node with side effects has the files of its run', async () => {
  const opened: string[] = [];
  const files = {
    save: () => Promise.reject(new Error('full')),
    open: () => Promise.reject(new Error('none')),
  };
  const result = await runGraph({
    nodes: {
      save: {
        pure: false,
        does: async (_node, _input, { services }) =>
          services.files.save(new Blob([]).stream(), { name: 'a', mediaType: 'b/c' }),
      },
    },
    edges: ['start -> save'],
    ports: {
      openFiles: (nodeKey) => {
        opened.push(nodeKey);
        return files;
      },
    },
  });
  expect(opened).toEqual(['save/0']);
  expect(result.failure?.message).toBe('full');
});

test('the files of a run are released when its attempt times out', async () => {
  const signals: AbortSignal[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  await runGraph({
    nodes: {
      slow: { pure: false, does: () => new Promise(() => {}), settings: { timeoutSeconds: 1 } },
    },
    edges: ['start -> slow'],
    ports: {
      openFiles: (_nodeKey, signal) => {
        signals.push(signal);
        return { save: unused, open: unused };
      },
    },
  });
  expect(signals.map(({ reason }) => reason?.name)).toEqual(['TimeoutError']);
});

test.each([
  ['a pure node', true],
  ['a run without files', false],
])('%s cannot use files', async (_what, pure) => {
  const result = await runGraph({
    nodes: {
      save: {
        pure,
        does: async (_node, _input, { services }) =>
          services.files.save(new Blob([]).stream(), { name: 'a', mediaType: 'b/c' }),
      },
    },
    edges: ['start -> save'],
  });
  expect(result.failure?.message).toBe('this node cannot use files');
});

test('a node uses the state of its run, if it has side effects and the run has state', async () => {
  const used = async (pure: boolean, ports: Parameters<typeof runGraph>[0]['ports'] = {}) => {
    const does: ANode['does'] = (_node, _input, { services }) =>
      services.state.run({ operation: 'get', key: 'count' });
    const { output, failure } = await runGraph({
      nodes: { count: { pure, does } },
      edges: ['start -> count'],
      ports,
    });
    return failure?.message ?? output;
  };
  const openState = (nodeKey: string) => ({ run: async () => ({ nodeKey }) });
  expect(await used(false, { openState })).toEqual({ nodeKey: 'count/0' });
  expect(await used(false)).toBe('this node cannot use state');
  expect(await used(true, { openState })).toBe('this node cannot use state');
});

test('a request with only a URL ends with its attempt', async () => {
  let sent: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {};
  const result = await runGraph({
    nodes: {
      call: {
        pure: false,
        does: (_node, _input, { services }) => services.http.request({ url: 'https://a.example/' }) as never,
        settings: { timeoutSeconds: 1 },
      },
    },
    edges: ['start -> call'],
    http: {
      request: (request) => {
        sent = request;
        return new Promise(() => {});
      },
    },
  });
  expect(result.failure).toMatchObject({ name: 'TimeoutError' });
  expect(sent.timeoutMs).toBe(2_000); // later than the node's own time
  expect(sent.signal?.reason).toMatchObject({ name: 'TimeoutError' });
});
