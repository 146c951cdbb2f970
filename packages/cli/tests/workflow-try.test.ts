import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

const manual = { id: 'request', type: 'manualTrigger', parameters: {} };
const greet = { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ name }}' } } };
const fail = { id: 'fail', type: 'stopAndError', parameters: { message: 'no {{ name }}' } };
const definition = aWorkflow({
  nodes: [manual, greet, fail],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'greet' },
    { sourceNodeId: 'request', targetNodeId: 'fail' },
  ],
});

describe('workflow try', () => {
  test('prints the outputs of the node, and how it went beside them; stores no workflow', async () => {
    const { call, file, stores } = await openCommandLine();
    const path = file('w.json', { $schema: './workflow.schema.json', ...definition });
    const input = file('in.json', { name: 'Ada' });
    const { code, out, err } = await call(`workflow try ${path} --node greet --input ${input}`);
    expect([code, JSON.parse(out)]).toEqual([0, { main: { greeting: 'Hello, Ada' } }]);
    const [, executionId = ''] = /^([\w-]+): succeeded, 1 attempt, \d+ ms$/m.exec(err) ?? [];
    expect(await stores.executions.find(executionId)).toMatchObject({ workflowId: 'greeting' });
    expect(await stores.workflows.find('greeting')).toBeNull();
  });

  test('takes the input from the outputs of the nodes before it', async () => {
    const { call, file } = await openCommandLine();
    const outputs = file('outputs.json', { request: { main: { name: 'Bea' } } });
    const command = `workflow try - --node greet --outputs ${outputs}`;
    const { code, out } = await call(command, JSON.stringify(definition));
    expect([code, JSON.parse(out)]).toEqual([0, { main: { greeting: 'Hello, Bea' } }]);
  });

  test('ends with 1 and the failure when the node fails', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', definition);
    const { code, err } = await call(`workflow try ${path} --node fail --input -`, '{"name":"tea"}');
    expect([code, err]).toEqual([1, expect.stringContaining('fail failed: StoppedByWorkflow: no tea')]);
  });

  test('says why a node cannot be tried', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', definition);
    const { code, err } = await call(`workflow try ${path} --node nobody`);
    expect([code, err]).toEqual([1, expect.stringContaining('there is no node "nobody"')]);
  });

  test('reads only one file from standard input', async () => {
    const { call, asked } = await openCommandLine();
    const { code, err } = await call('workflow try - --node greet --input -', '{}');
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain('only one of the files can be standard input');
  });
});
