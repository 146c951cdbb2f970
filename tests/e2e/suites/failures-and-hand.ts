import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

export const describeFailuresAndHand = (project: RunningProject): void => {
  const { cli, get, post, storeWorkflow } = project;

  interface Listed {
    readonly executions: readonly { readonly executionId: string; readonly status: string }[];
  }

  const executionsOf = async (id: string): Promise<Listed['executions']> =>
    (await get<Listed>(`/api/admin/executions?workflowId=${id}`)).body.executions;

  const show = async (executionId: string) => {
    const { code, stdout, stderr } = await cli(`execution show ${executionId} --json`);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  describe('the failure of a workflow', () => {
    const fail = { type: 'stopAndError', parameters: { message: 'no stock of {{ body.item }}' } };

    const onFailureOf = (id: string) => ({
      id: `on-${id}`,
      name: 'On failure',
      enabled: true,
      nodes: [{ id: 'failure', type: 'errorTrigger', parameters: { workflows: [id] } }],
      connections: [],
      settings: { recordData: 'always' },
    });

    test.each([
      ['inline', { responseMode: 'lastNode' }, 500, {}],
      ['in the background', { responseMode: 'onReceived' }, 202, {}],
      ['on the durable engine', { responseMode: 'onReceived' }, 202, { execution: 'durable' }],
    ])(
      'of a run %s starts the workflow that asks for it, once',
      async (_how, parameters, status, settings) => {
        const id = `fails-${parameters.responseMode}-${Object.values(settings).join('')}`;
        await storeWorkflow(onFailureOf(id));
        const failing = { ...workflow(id, fail, parameters), settings };
        await storeWorkflow(failing);
        const item = { item: 'tea', password: 'open sesame' };
        const { status: answered, body } = await post(
          `/api/webhook/${id}/webhook`,
          JSON.stringify(item),
          json,
        );
        expect(answered).toBe(status);
        // Read once: an index of the embedded DynamoDB lacks an item while that is written again.
        let all = await executionsOf(`on-${id}`);
        await poll(async () => {
          all = await executionsOf(`on-${id}`);
          return all[0]?.status === 'succeeded';
        });
        expect(all).toHaveLength(1);
        const [node] = (await show(all[0]?.executionId ?? '')).nodes;
        const { executionId } = node.outputs.main;
        expect(JSON.stringify(body)).toContain(executionId);
        expect(node.outputs.main).toMatchObject({
          triggerType: 'error',
          workflowId: id,
          failure: { message: 'no stock of tea' },
          show: { path: `/api/admin/executions/${executionId}` },
        });
        const received = { body: { item: 'tea', password: '[redacted]' } };
        expect(node.outputs.main.data).toMatchObject({ trigger: received, input: received, outputs: {} });
        const idsOf = async (query: string) =>
          (await get<Listed>(`/api/admin/executions?${query}`)).body.executions.map((one) => one.executionId);
        expect(await idsOf('status=failed')).toContain(executionId);
        expect(await idsOf(`status=failed&workflowId=${id}`)).toEqual([executionId]);
        expect(await idsOf('status=accepted,running,waiting')).not.toContain(executionId);
      },
    );

    test('has the whole request, even one that is stored in the bucket', async () => {
      const id = 'fails-large';
      const { nodes, ...handler } = onFailureOf(id);
      const size = { type: 'set', parameters: { values: { size: '{{ $length(data.trigger.body.note) }}' } } };
      const listening = {
        ...handler,
        nodes: [...nodes, { id: 'size', ...size }],
        connections: [{ sourceNodeId: 'failure', targetNodeId: 'size' }],
      };
      await storeWorkflow(listening);
      await storeWorkflow(workflow(id, fail, { responseMode: 'onReceived' }));
      const note = randomBytes(20_000).toString('hex'); // does not become small when it is compressed
      const { status } = await post(
        `/api/webhook/${id}/webhook`,
        JSON.stringify({ item: 'tea', note }),
        json,
      );
      expect(status).toBe(202);
      let all = await executionsOf(`on-${id}`);
      await poll(async () => {
        all = await executionsOf(`on-${id}`);
        return all[0]?.status === 'succeeded';
      });
      const { nodes: ran } = await show(all[0]?.executionId ?? '');
      expect(ran.at(-1).outputs.main).toEqual({ size: 40_000 });
    });
  });

  describe('an execution that took another branch', () => {
    const branch = {
      ...workflow('branches', { type: 'if', parameters: { condition: '{{ body.total > 100 }}' } }),
      settings: { recordData: 'always' },
    };

    test('says why, and what it did differently from the last success', async () => {
      await storeWorkflow(branch);
      for (const total of [120, 99.5])
        await post('/api/webhook/branches/webhook', `{"total":${total}}`, json);
      const [second, first] = await executionsOf('branches');
      const { nodes } = await show(second?.executionId ?? '');
      expect(nodes[1].why).toMatchObject({ text: 'gave false: body.total 99.5 > 100', result: false });
      const { stdout } = await cli(`execution show ${second?.executionId} --why`);
      expect(stdout).toContain('why  gave false: body.total 99.5 > 100');

      const path = `/api/admin/executions/${second?.executionId}`;
      expect((await get<JsonObject>(path)).body.nodes).toEqual(nodes);
      const { body } = await get<JsonObject>(`${path}/comparison`);
      expect(body).toMatchObject({
        from: { executionId: first?.executionId },
        nodes: [{ nodeId: 'in' }, { nodeId: 'out', differs: ['branch', 'data'] }],
      });
      const compared = await cli(
        `execution compare ${second?.executionId} --with ${first?.executionId} --json`,
      );
      expect(JSON.parse(compared.stdout)).toEqual(body);
    });
  });

  describe('by hand', () => {
    test('a webhook runs with the given parts of a request', async () => {
      await storeWorkflow(workflow('by-hand', set({ greeting: 'Hello, {{ body.name }}' })));
      const stdin = '{"body":{"name":"Ada"}}';
      const { code, stdout } = await cli('workflow run by-hand --input - --wait', { stdin });
      expect([code, JSON.parse(stdout)]).toEqual([0, { greeting: 'Hello, Ada' }]);
    });

    test('the admin API waits for the result', async () => {
      const headers = { ...json, prefer: 'wait=20', 'idempotency-key': '"1"' };
      const start = () =>
        post<JsonObject>('/api/admin/workflows/by-hand/executions', '{"body":{"name":"Bob"}}', headers);
      const { status, body } = await start();
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ status: 'succeeded', output: { greeting: 'Hello, Bob' } }),
      ]);
      expect((await start()).body).toMatchObject({ executionId: body.executionId, duplicate: true });
      expect(await show(String(body.executionId))).toMatchObject({ trigger: { byHand: true } });
    });

    test('a workflow that cannot be started says why', async () => {
      const { code, stderr } = await cli('workflow run by-hand --trigger out');
      expect([code, stderr.trim()]).toEqual([
        1,
        "Workflow by-hand can't be started like this: it has no enabled trigger of that name; it has in (webhookTrigger).",
      ]);
    });
  });
};
