import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createFolderBlobStore } from '../../../lib/adapters/blobs/folder-blobs.ts';
import { packText } from '../../../lib/executions/record/blob-store.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer, type LocalServer } from '../../../tests/support/a-local-server.ts';
import { anExecutionEnd } from '../../../tests/support/a-start.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();
const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const manual = { id: 'start', type: 'manualTrigger', parameters: {} };
const failure = { nodeId: 'greet', name: 'NodeError', message: 'there is no name' };

/**
 * The command line, and an engine that ends each execution.
 * @param output - of a run that succeeds
 * @param ms - how long a run takes
 */
const aService = async (output: object | null = { greeting: 'Hello, Ada' }, ms = 0) => {
  const engine = await aLocalServer({
    '/2015-03-31/functions/hookloom-dev-runExpress/invocations': async ({ body }, response) => {
      const { executionId } = JSON.parse(body);
      const text = JSON.stringify({ output, response: null });
      const key = `executions/${executionId}/result`;
      const packing = { limitBytes: 12_000, key, blobs: createFolderBlobStore(line.blobFolder) };
      const end =
        output === null
          ? anExecutionEnd({ status: 'failed', failure })
          : anExecutionEnd({ result: await packText(text, packing) });
      const finish = () => executions.finish(executionId, end);
      if (ms === 0) await finish();
      response.writeHead(202).end();
      if (ms === 0) return;
      await setTimeout(ms);
      await finish();
    },
  });
  servers.push(engine);
  const line = await openCommandLine({
    engineEndpoint: engine.origin,
    clock: { now: Date.now, sleep: (ms) => setTimeout(ms) },
  });
  const { executions, workflows } = line.stores;
  await workflows.put(aWorkflow({ nodes: [manual], connections: [] }), []);
  await workflows.put(aWorkflow({ id: 'several', nodes: [manual, aTrigger()], connections: [] }), []);
  const inputOf = async (out: string) =>
    (await executions.findData(/[\w-]{20,}/.exec(out)?.[0] ?? ''))?.input;
  return { ...line, executions, inputOf };
};

describe('workflow run', () => {
  test('starts a workflow with input from a file, and says how to follow it', async () => {
    const { call, file, inputOf } = await aService();
    const { code, out, err } = await call(
      `workflow run greeting --input ${file('in.json', { name: 'Ada' })}`,
    );
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(/^[\w-]+: accepted, version 1 of greeting$/),
      err: expect.stringMatching(/^Follow it with: execution watch [\w-]+$/),
    });
    expect(await inputOf(out)).toBe('j{"name":"Ada"}');
  });

  test('starts the named trigger with standard input', async () => {
    const { call, executions, inputOf } = await aService();
    const { code, out } = await call('workflow run several --trigger request --input -', '{"body":1}');
    expect([code, await inputOf(out)]).toEqual([0, 'j{"body":1}']);
    expect(await executions.find(out.split(':')[0] ?? '')).toMatchObject({
      trigger: { nodeId: 'request', type: 'webhookTrigger', byHand: true },
    });
  });

  test('follows it to its end, and prints only its output', async () => {
    const { call } = await aService();
    const { code, out, err } = await call('workflow run greeting --wait');
    expect([code, JSON.parse(out)]).toEqual([0, { greeting: 'Hello, Ada' }]);
    expect(err).toContain('succeeded');
  });

  test('fails when the execution that it follows fails', async () => {
    const { call } = await aService(null);
    const { code, out, err } = await call('workflow run greeting --wait');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('there is no name');
  });

  test('takes an input and prints an output that no record holds', async () => {
    const noise = Array.from({ length: 20_000 }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 0);
    const { call, inputOf } = await aService({ noise });
    const { code, out, err } = await call(
      'workflow run greeting --wait --input -',
      JSON.stringify({ noise }),
    );
    expect([code, JSON.parse(out)]).toEqual([0, { noise }]);
    expect(await inputOf(err)).toMatch(/^b/); // in a blob
  });

  test('follows one that takes longer than the first request waits', async () => {
    const { call, asked } = await aService({ greeting: 'Hello, Ada' }, 3_000);
    const { code, out, err } = await call('workflow run greeting --wait');
    expect([code, JSON.parse(out)]).toEqual([0, { greeting: 'Hello, Ada' }]);
    expect(err).toMatch(/accepted.*accepted.*succeeded/s);
    expect(asked.at(-1)).toMatch(/^GET .*\/result$/);
  });

  test.each<[string, string, string, string]>([
    [
      'an input that is no object',
      'run greeting --input -',
      '[1]',
      'stdin: the input of a trigger must be a JSON object',
    ],
    ['an input that is not JSON', 'run greeting --input -', '{', 'stdin:1:2: is not JSON'],
    ['a file that is not there', 'run greeting --input none.json', '', 'none.json: no such file'],
    ['no such workflow', 'run none', '', 'There is no workflow none.'],
    ['no trigger of several', 'run several', '', 'start (manualTrigger), request (webhookTrigger)'],
  ])('refuses %s', async (_what, args, input, message) => {
    const { call } = await aService();
    const { code, err } = await call(`workflow ${args}`, input);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });
});
