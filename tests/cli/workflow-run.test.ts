import { afterEach, describe, expect, test } from '@jest/globals';
import { connect } from '../../cli/target.ts';
import { packText } from '../../lib/executions/record/pack-value.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { anExecutionEnd } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { inMemoryBlobs } from '../support/in-memory-blobs.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const openCommandLine = useCommandLine();
const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const manual = { id: 'start', type: 'manualTrigger', parameters: {} };
const failure = { nodeId: 'greet', name: 'NodeError', message: 'there is no name' };

/** The command line, and an engine that ends each execution at once. @param output - of a run that succeeds */
const aService = async (output: object | null = { greeting: 'Hello, Ada' }) => {
  const { endpoint } = await openDatabase();
  const engine = await aLocalServer({
    '/2015-03-31/functions/test-runExpress/invocations': async ({ body }, response) => {
      const { executionId } = JSON.parse(body);
      const text = JSON.stringify({ output, response: null });
      const key = `executions/${executionId}/result`;
      const packing = { limitBytes: 12_000, key, blobs: inMemoryBlobs() };
      const end =
        output === null
          ? anExecutionEnd({ status: 'failed', failure })
          : anExecutionEnd({ result: await packText(text, packing) });
      await executions.finish(executionId, end);
      response.writeHead(202).end();
    },
  });
  servers.push(engine);
  const open = () =>
    connect({ dynamodbEndpoint: endpoint, engineEndpoint: engine.origin, tablePrefix: 'test' });
  const { executions, workflows, close } = open();
  const line = await openCommandLine({ openTarget: open, hasDatabase: false });
  await workflows.put(aWorkflow({ nodes: [manual], connections: [] }), []);
  await workflows.put(aWorkflow({ id: 'several', nodes: [manual, aTrigger()], connections: [] }), []);
  const inputOf = async (out: string) =>
    (await executions.findData(/[\w-]{20,}/.exec(out)?.[0] ?? ''))?.input;
  return { ...line, executions, inputOf, close };
};

describe('workflow run', () => {
  test('starts a workflow with input from a file, and says how to follow it', async () => {
    const { call, file, inputOf, close } = await aService();
    const { code, out, err } = await call(
      `workflow run greeting --input ${file('in.json', { name: 'Ada' })}`,
    );
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(/^[\w-]+: accepted, version 1 of greeting$/),
      err: expect.stringMatching(/^Follow it with: execution watch [\w-]+$/),
    });
    expect(await inputOf(out)).toBe('j{"name":"Ada"}');
    close();
  });

  test('starts the named trigger with standard input', async () => {
    const { call, executions, inputOf, close } = await aService();
    const { code, out } = await call('workflow run several --trigger request --input -', '{"body":1}');
    expect([code, await inputOf(out)]).toEqual([0, 'j{"body":1}']);
    expect(await executions.find(out.split(':')[0] ?? '')).toMatchObject({
      trigger: { nodeId: 'request', type: 'webhookTrigger', byHand: true },
    });
    close();
  });

  test('follows it to its end, and prints only its output', async () => {
    const { call, close } = await aService();
    const { code, out, err } = await call('workflow run greeting --wait');
    expect([code, JSON.parse(out)]).toEqual([0, { greeting: 'Hello, Ada' }]);
    expect(err).toContain('succeeded');
    close();
  });

  test('fails when the execution that it follows fails', async () => {
    const { call, close } = await aService(null);
    const { code, out, err } = await call('workflow run greeting --wait');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('there is no name');
    close();
  });

  test('says when an output is too large to show', async () => {
    const noise = Array.from({ length: 20_000 }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 0);
    const { call, close } = await aService({ noise });
    const { code, err } = await call('workflow run greeting --wait');
    expect([code, err]).toEqual([0, expect.stringContaining('output is too large')]);
    close();
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
    [
      'an input that does not fit into a record',
      'run greeting --input -',
      JSON.stringify({
        noise: Array.from({ length: 20_000 }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 0),
      }),
      'too large for a command',
    ],
  ])('refuses %s', async (_what, args, input, message) => {
    const { call, close } = await aService();
    const { code, err } = await call(`workflow ${args}`, input);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    close();
  });
});
