import { CatalogueError, type HttpClient, OUTBOUND_TIMEOUT, type Services } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { execute } from '../../../lib/engine/execute.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { httpRequest } from '../../../nodes/http-request/http-request.plugin.ts';
import { aLocalServer } from '../../support/a-local-server.ts';
import { aGraph, noOtherWorkflows, silent } from '../../support/a-run.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { anExecutionInfo } from '../../support/an-execution-info.ts';

/** Runs one `httpRequest` in the engine. */
const runRequest = (
  url: string,
  timeoutSeconds: number | undefined,
  { clock, http }: Pick<Services, 'clock' | 'http'>,
) => {
  const settings = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  const call = { pure: false, does: httpRequest.execute, parameters: { url }, settings };
  const { definition, findNodeType } = aGraph({ nodes: { call }, edges: ['start -> call'] });
  return execute(
    compilePlan(definition, findNodeType),
    {
      execution: anExecutionInfo(clock.now()),
      input: {},
      limits: { timeoutMs: 3_600_000, maxNodeRuns: 10, maxOutputBytes: 100_000 },
    },
    {
      services: { clock, ids: { next: () => 'id' }, http },
      logger: silent,
      steps: inlineSteps(clock),
      workflows: noOtherWorkflows,
      callbacks: null,
    },
  );
};

/** Against a server that answers after so many seconds, by a client that keeps to the limit of the request. */
const requestTaking = (seconds: number, timeoutSeconds: number | undefined) => {
  const { clock, run } = aVirtualClock();
  const http: HttpClient = {
    request: async ({ url, timeoutMs = 0, signal }) => {
      await clock.sleep(Math.min(seconds * 1_000, timeoutMs), signal);
      if (timeoutMs < seconds * 1_000) throw new CatalogueError(OUTBOUND_TIMEOUT, { target: url, timeoutMs });
      return { status: 200, headers: {}, body: Buffer.from('late'), stream: null, url };
    },
  };
  return run(runRequest('https://api.example.com/', timeoutSeconds, { clock, http }));
};

test.each([
  [29, undefined],
  [20, 25],
  [799, 800],
])('an answer after %d s is in time for a node that may take %p s', async (seconds, timeoutSeconds) => {
  expect(await requestTaking(seconds, timeoutSeconds)).toMatchObject({
    status: 'succeeded',
    output: { status: 200, body: 'late' },
  });
});

test.each([
  [31, undefined, 30],
  [20, 5, 5],
  [840, 800, 800],
])(
  'an answer after %d s is too late for a node that may take %p s',
  async (seconds, timeoutSeconds, limit) => {
    expect(await requestTaking(seconds, timeoutSeconds)).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'call', name: 'TimeoutError', message: `the node took longer than ${limit} s` },
    });
  },
);

test('a real server that never responds is abandoned when the node’s time is up', async () => {
  const server = await aLocalServer({ '/silent': () => {} });
  try {
    const { clock, run } = aVirtualClock();
    const http = createHttpClient({ allow: ['127.0.0.1'] });
    // Its time passes once the server has the request.
    const isBusy = () => server.received.length === 0;
    const result = await run(runRequest(`${server.origin}/silent`, 600, { clock, http }), isBusy);
    expect(result.failure).toMatchObject({
      name: 'TimeoutError',
      message: 'the node took longer than 600 s',
    });
  } finally {
    await server.close();
  }
});

test('a separate time limit is not a parameter', () => {
  expect(Object.keys(httpRequest.schema.properties as object)).not.toContain('timeoutSeconds');
});
