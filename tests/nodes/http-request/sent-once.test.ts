import { gzipSync } from 'node:zlib';
import type { JsonObject, NodeExecutor } from '@hookloom/plugin-kit';
import { afterEach, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { execute } from '../../../lib/engine/execute.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { graphql } from '../../../nodes/graphql/graphql.plugin.ts';
import { httpRequest } from '../../../nodes/http-request/http-request.plugin.ts';
import { aLocalServer, type LocalServer, type Routes, redirectTo } from '../../support/a-local-server.ts';
import { patientClock as clock } from '../../support/a-patient-clock.ts';
import { aGraph, noOtherWorkflows, silent } from '../../support/a-run.ts';
import { anExecutionInfo } from '../../support/an-execution-info.ts';

const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const json = { 'content-type': 'application/json' };

/** Runs a node in the engine, with three attempts, against a server whose path `/` answers like this. */
const runAgainst = async (
  answer: Routes[string],
  parameters: JsonObject,
  { execute: does }: Pick<NodeExecutor, 'execute'> = httpRequest,
) => {
  const server = await aLocalServer({ '/': answer });
  servers.push(server);
  const settings = { retry: { maxAttempts: 3, intervalSeconds: 0 } };
  const call = { pure: false, does, parameters: { url: `${server.origin}/`, ...parameters }, settings };
  const { definition, findNodeType } = aGraph({ nodes: { call }, edges: ['start -> call'] });
  const { status, failure, nodes } = await execute(
    compilePlan(definition, findNodeType),
    {
      execution: anExecutionInfo(clock.now()),
      input: {},
      limits: { timeoutMs: 3_600_000, maxNodeRuns: 10, maxOutputBytes: 1_000 },
    },
    {
      services: { clock, ids: { next: () => 'id' }, http: createHttpClient({ allow: ['127.0.0.1'] }) },
      logger: silent,
      steps: inlineSteps(clock),
      workflows: noOtherWorkflows,
      callbacks: null,
    },
  );
  return { status, failure, attempts: nodes[1]?.attempts, times: server.received.length };
};

const answering =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = json): Routes[string] =>
  (_request, response) => {
    response.writeHead(200, headers).end(body);
  };

test.each<[string, Routes[string], JsonObject, string]>([
  ['is not the JSON that it claims to be', answering('{"a"'), {}, 'Error'],
  ['is not the JSON that is asked for', answering('<p>', {}), { responseType: 'json' }, 'Error'],
  ['is too large', answering('[1,2]'), { maxResponseBytes: 4 }, 'OutboundTooLarge'],
  ['is larger than an output may be', answering(`"${'x'.repeat(1_000)}"`), {}, 'RangeError'],
  [
    'does not match its encoding',
    answering(gzipSync('[]').subarray(0, 12), { 'content-encoding': 'gzip' }),
    {},
    'OutboundFailed',
  ],
  ['leads to no URL', redirectTo(307, 'http://['), {}, 'OutboundFailed'],
  ['leads on and on', redirectTo(307, '/'), { maxRedirects: 0, successStatus: [200] }, 'HttpStatusError'],
  ['has no list of items', answering('{}'), { pagination: 'link' }, 'TypeError'],
  ['is no HTTP', (_request, response) => response.socket?.end('hello\r\n\r\n'), {}, 'OutboundFailed'],
])('a request whose answer %s is sent once', async (_case, answer, parameters, name) => {
  for (const method of ['POST', 'GET'])
    expect(await runAgainst(answer, { method, ...parameters })).toMatchObject({
      status: 'failed',
      failure: { name },
      times: 1,
    });
});

test('a GraphQL request whose answer is too large is sent once', async () => {
  const parameters = { query: '{ a }', maxResponseBytes: 4 };
  expect(await runAgainst(answering('{"data":{}}'), parameters, graphql)).toMatchObject({
    failure: { name: 'OutboundTooLarge' },
    times: 1,
  });
});

test.each<[string, Routes[string]]>([
  ['breaks before the answer', (_request, response) => response.destroy()],
  [
    'breaks within the answer',
    (_request, response) => {
      response.writeHead(200, { ...json, 'content-length': '10' });
      response.write('{', () => response.destroy());
    },
  ],
  ['is fine, but the status is one to retry', (_request, response) => response.writeHead(503).end()],
])('a request whose connection %s is sent again', async (_case, answer) => {
  expect(await runAgainst(answer, { method: 'POST' })).toMatchObject({ status: 'failed', times: 3 });
});

test.each<[JsonObject, string]>([
  [{ body: 1, bodyType: 'form' }, 'TypeError'],
  [{ maxRedirects: 21 }, 'RangeError'],
  [{ url: 'nowhere' }, 'TypeError'],
  [{ headers: { 'x-a': 'a\nb' } }, 'OutboundRefused'],
  [{ query: { a: '{{ $number("x") }}' } }, 'ExpressionError'],
])('a wrong parameter fails the first attempt: %j', async (parameters, name) => {
  expect(await runAgainst(answering('1'), parameters)).toMatchObject({
    failure: { name },
    attempts: 1,
    times: 0,
  });
});
