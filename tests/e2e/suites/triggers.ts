import { describe, expect, test } from '@jest/globals';
import type { RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

/** A workflow of one trigger and a node. */
const workflow = (id: string, trigger: object) => ({
  id,
  name: id,
  enabled: true,
  nodes: [
    { id: 'in', ...trigger },
    { id: 'out', type: 'set', parameters: { values: { is: 'done' } } },
  ],
  connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
});

/** An event trigger for the events of one source. */
const of = (source: string) => ({ type: 'eventTrigger', parameters: { pattern: { source: [source] } } });

/** Schedules, events and messages, from the command line to the record of an execution. */
export const describeTriggers = (project: RunningProject): void => {
  const { cli, get, storeWorkflow } = project;

  const executionsOf = async (workflowId: string) =>
    (await get<{ executions: { status: string }[] }>(`/api/admin/executions?workflowId=${workflowId}`)).body
      .executions;
  const succeeded = async (workflowId: string, count = 1): Promise<void> => {
    await poll(
      async () =>
        (await executionsOf(workflowId)).filter(({ status }) => status === 'succeeded').length >= count,
    );
  };
  const putEvent = (source: string) =>
    cli('event put -', {
      stdin: JSON.stringify([{ source, 'detail-type': 'Happened', detail: {} }]),
    });

  describe('triggers beyond webhooks', () => {
    test('an event and a message of files start the samples, once each', async () => {
      const { code, stdout } = await cli(
        'event put events/triggers/upload.json events/triggers/order-message.json',
      );
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^bus default: event \S+, aws\.s3 "Object Created"\nqueue orders\.fifo: message /,
      );
      await Promise.all([succeeded('on-upload'), succeeded('orders-queue')]);
      const list = await cli('execution list --limit 50');
      expect(list.stdout.match(/ (on-upload|orders-queue) /g)).toHaveLength(2);
    });

    test('a schedule starts its workflow when its time has come', async () => {
      const startAt = new Date(Date.now() + 3_000).toISOString(); // it is stored by then; else it starts a minute later
      const parameters = { rate: '1 minute', startAt };
      await storeWorkflow(workflow('every-minute', { type: 'scheduleTrigger', parameters }));
      await succeeded('every-minute');
      expect(await cli('workflow remove every-minute')).toMatchObject({ code: 0 });
    });

    test('disabled and removed workflows are no longer started', async () => {
      for (const id of ['kept', 'switched', 'removed']) await storeWorkflow(workflow(id, of('shop')));
      await putEvent('shop');
      await Promise.all(['kept', 'switched', 'removed'].map((id) => succeeded(id)));
      expect(await cli('workflow disable switched')).toMatchObject({ code: 0 });
      expect(await cli('workflow remove removed')).toMatchObject({ code: 0 });
      await putEvent('shop');
      await succeeded('kept', 2);
      expect(await executionsOf('switched')).toHaveLength(1);
      expect(await executionsOf('removed')).toHaveLength(1);
      expect(await cli('workflow enable switched')).toMatchObject({ code: 0 });
      await putEvent('shop');
      await succeeded('switched', 2);
    });

    test('a trigger that cannot be registered is refused with its node and parameter', async () => {
      const trigger = { type: 'scheduleTrigger', parameters: { at: '2020-01-01T09:00:00' } };
      const { code, stderr } = await cli('workflow put -', {
        stdin: JSON.stringify(workflow('late', trigger)),
      });
      expect(code).toBe(1);
      expect(stderr).toContain("/nodes/0/parameters/at trigger in can't be registered: is in the past");
      expect(await cli('workflow get late')).toMatchObject({ code: 1 });
    });
  });
};
