import { createHmac, randomBytes } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import { expect } from '@jest/globals';
import type { healthRoute } from '../../lib/app/health.ts';
import type { listNoticesRoute } from '../../lib/app/notices.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import { aLocalServer } from './a-local-server.ts';
import { set, workflow } from './a-project-file.ts';
import { json } from './a-running-project.ts';
import type { RunningStage } from './a-running-stage.ts';
import { startTargetServer } from './a-target-server.ts';
import { aDecision, waitingApproval } from './an-approval.ts';
import { poll } from './poll.ts';

/** What a stage must do; throws when it does not. Each stands alone, on a stage with or without the samples. */
type StageCheck = (stage: RunningStage) => Promise<void>;

/** In the log of a stage: a function could not start, or an event was given up. */
const BROKEN = /CONFIGURATION_INVALID|is not set|gave up after|may not invoke|the role of \w+ lacks/;

/** What a stage had refused and printed when the check began. */
const beginnings = new WeakMap<RunningStage, { readonly refusals: number; readonly printed: number }>();

/**
 * Waits for something that follows without a request.
 *
 * @throws Error when the stage has refused a call since the check began, or a function is broken
 */
const until = async (stage: RunningStage, isSo: () => Promise<boolean>): Promise<void> => {
  const { refusals: known = 0, printed: from = 0 } = beginnings.get(stage) ?? {};
  await poll(async () => {
    if (await isSo()) return true;
    const refusal = (await stage.refusals())[known];
    if (refusal !== undefined) throw new Error(`refused: ${JSON.stringify(refusal)}`);
    const [broken] = BROKEN.exec(stage.service.output().slice(from)) ?? [];
    if (broken !== undefined) throw new Error(`in the log: ${broken}`);
    return false;
  });
};

interface Shown {
  readonly executionId: string;
  readonly status: string;
}

const show = async (stage: RunningStage, id: string): Promise<Shown> =>
  (await stage.get<Shown>(`/api/admin/executions/${id}`)).body;

/** Waits for the end of an execution. */
const ended = async (stage: RunningStage, id: string): Promise<string> => {
  let status = '';
  await until(stage, async () => {
    ({ status } = await show(stage, id));
    return ['succeeded', 'failed', 'cancelled', 'timedOut'].includes(status);
  });
  return status;
};

/** Starts a workflow by its webhook, in the background. @returns its execution's id */
const started = async (stage: RunningStage, id: string, body = '{}'): Promise<string> => {
  const answer = await stage.post(`/api/webhook/${id}/webhook`, body, json);
  expect(answer).toMatchObject({ status: 202, body: { executionId: expect.any(String) } });
  return String(answer.body.executionId);
};

const inBackground = (id: string, mode: 'express' | 'durable', node: object = set({ a: 1 })) => ({
  ...workflow(id, node, { responseMode: 'onReceived' }),
  settings: { execution: mode },
});

/** A workflow of one trigger and a node. */
const triggered = (id: string, type: string, parameters: JsonObject) => ({
  id,
  name: id,
  enabled: true,
  nodes: [
    { id: 'in', type, parameters },
    { id: 'out', ...set({ is: 'done' }) },
  ],
  connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
});

/** Waits for an execution that a trigger of the stage has started. */
const startedOnce = async (stage: RunningStage, workflowId: string): Promise<void> => {
  let found: readonly Shown[] = [];
  await until(stage, async () => {
    const path = `/api/admin/executions?workflowId=${workflowId}`;
    ({ executions: found } = (await stage.get<{ executions: readonly Shown[] }>(path)).body);
    return found[0]?.status === 'succeeded';
  });
  expect(found).toHaveLength(1);
};

const putRow = (number: string) => ({
  type: 'aws',
  parameters: {
    service: 'dynamodb',
    operation: 'PutItem',
    input: { TableName: 'sample-orders', Item: { number: { S: number }, total: { N: '1' } } },
  },
});

/** Larger than what a record holds, compressed. */
const LARGE = JSON.stringify({ text: randomBytes(450_000).toString('base64') });

const checks = {
  'a webhook answers with what its workflow gives': async (stage) => {
    await stage.storeWorkflow(workflow('check-sync', set({ greeting: 'Hello, {{ body.name }}' })));
    expect(await stage.post('/api/webhook/check-sync/webhook', '{"name":"Ada"}', json)).toEqual({
      status: 200,
      body: { greeting: 'Hello, Ada' },
    });
  },
  'an express run ends': async (stage) => {
    await stage.storeWorkflow(inBackground('check-express', 'express'));
    expect(await ended(stage, await started(stage, 'check-express'))).toBe('succeeded');
  },
  'a durable run ends': async (stage) => {
    await stage.storeWorkflow(inBackground('check-durable', 'durable'));
    expect(await ended(stage, await started(stage, 'check-durable'))).toBe('succeeded');
  },
  'a large request is kept for a run in the background': async (stage) => {
    await stage.storeWorkflow(inBackground('check-large', 'express', set({ n: '{{ $length(body.text) }}' })));
    expect(await ended(stage, await started(stage, 'check-large', LARGE))).toBe('succeeded');
  },
  'a large request is kept for a durable run': async (stage) => {
    await stage.storeWorkflow(
      inBackground('check-large-durable', 'durable', set({ n: '{{ $length(body.text) }}' })),
    );
    expect(await ended(stage, await started(stage, 'check-large-durable', LARGE))).toBe('succeeded');
  },
  'a large request is kept for a run by hand': async (stage) => {
    for (const mode of ['express', 'durable'] as const) {
      const id = `check-by-hand-${mode}`;
      await stage.storeWorkflow(inBackground(id, mode, set({ n: '{{ $length(body.text) }}' })));
      const path = `/api/admin/workflows/${id}/executions`;
      const { status, body } = await stage.post(path, `{"body":${LARGE}}`, json);
      expect(status).toBe(202);
      expect(await ended(stage, String(body.executionId))).toBe('succeeded');
      const again = await stage.post(`/api/admin/executions/${body.executionId}/retry`, '{}', json);
      expect([again.status, await ended(stage, String(again.body.executionId))]).toEqual([202, 'succeeded']);
    }
  },
  'a run in the background calls out with a credential, and its failure is reported': async (stage) => {
    const outside = await aLocalServer({ '/who': (_request, response) => void response.end('{}') });
    try {
      const { host } = new URL(outside.origin);
      await stage.cli(`credential create check-outside --type httpBearer --host ${host}`, {
        stdin: 'token-of-a-check',
      });
      for (const mode of ['express', 'durable'] as const) {
        const node = {
          type: 'httpRequest',
          credentialId: 'check-outside',
          parameters: { url: `${outside.origin}/who` },
        };
        await stage.storeWorkflow(inBackground(`check-outside-${mode}`, mode, node));
        expect(await ended(stage, await started(stage, `check-outside-${mode}`))).toBe('succeeded');
        const id = `check-fails-${mode}`;
        await stage.storeWorkflow(triggered(`check-on-${mode}`, 'errorTrigger', { workflows: [id] }));
        await stage.storeWorkflow(
          inBackground(id, mode, { type: 'stopAndError', parameters: { message: 'no' } }),
        );
        expect(await ended(stage, await started(stage, id))).toBe('failed');
        await startedOnce(stage, `check-on-${mode}`);
      }
      expect(outside.received.map(({ headers }) => headers.authorization)).toEqual(
        Array(2).fill('Bearer token-of-a-check'),
      );
    } finally {
      await outside.close();
    }
  },
  'removing the stack unregisters all triggers, and a sweep registers what workflows say': async (stage) => {
    const queue = 'arn:aws:sqs:us-east-1:000000000000:checks';
    const definitions = [
      triggered('check-removed-event', 'eventTrigger', { pattern: { source: ['check-removed'] } }),
      triggered('check-removed-bus', 'eventTrigger', {
        pattern: { source: ['check-removed'] },
        bus: 'orders',
      }),
      triggered('check-removed-schedule', 'scheduleTrigger', { rate: '1 hour' }),
      triggered('check-removed-queue', 'queueTrigger', { queue }),
    ];
    for (const definition of definitions) await stage.storeWorkflow(definition);
    const event = [{ source: 'check-removed', 'detail-type': 'Happened', detail: {} }];
    const send = () => stage.cli('event put -', { stdin: JSON.stringify(event) });
    await stage.requestCustomResources('Delete');
    expect(await send()).toMatchObject({ code: 0 });
    await stage.requestCustomResources('Create');
    await stage.fire('SweepRegistrationsEventsRuleSchedule1');
    await until(stage, async () => {
      expect(await send()).toMatchObject({ code: 0 });
      const path = '/api/admin/executions?workflowId=check-removed-event';
      return (await stage.get<{ executions: readonly Shown[] }>(path)).body.executions.length > 0;
    });
    for (const { id } of definitions)
      expect(await stage.cli(`workflow remove ${id}`)).toMatchObject({ code: 0 });
  },
  'an approval waits, and its answer resumes the run': async (stage) => {
    await stage.storeWorkflow(aDecision({ id: 'check-approval' }));
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const page = await stage.fetch('/api/webhook/check-approval/webhook', {
      method: 'POST',
      headers: form,
      body: 'what=tea&cost=3',
    });
    expect(page.status).toBe(200);
    await until(stage, async () => {
      const path = '/api/admin/approvals?workflowId=check-approval';
      return (await stage.get<{ approvals: readonly unknown[] }>(path)).body.approvals.length > 0;
    });
    const { address, executionId } = await waitingApproval(stage, 'check-approval');
    const body = 'decision=approve&limit=4';
    expect((await stage.fetch(address, { method: 'POST', headers: form, body })).status).toBe(200);
    expect(await ended(stage, executionId)).toBe('succeeded');
  },
  'a secret is read for a signature': async (stage) => {
    await stage.cli('credential create check-secret --type signingSecret', { stdin: 'a-secret-of-a-check' });
    const signature = { scheme: 'github', credentialId: 'check-secret' };
    await stage.storeWorkflow(
      workflow('check-signed', set({ ok: true }), { responseMode: 'lastNode', signature }),
    );
    const send = (secret: string) => {
      const digest = createHmac('sha256', secret).update('{}').digest('hex');
      return stage.post('/api/webhook/check-signed/webhook', '{}', {
        ...json,
        'x-hub-signature-256': `sha256=${digest}`,
      });
    };
    expect(await send('a-secret-of-a-check')).toEqual({ status: 200, body: { ok: true } });
    expect((await send('another')).status).toBe(403);
  },
  'a node calls AWS with the role for workflows, and with no more': async (stage) => {
    await stage.storeWorkflow(workflow('check-aws', putRow('check-1')));
    expect((await stage.post('/api/webhook/check-aws/webhook', '{}', json)).status).toBe(200);
    const own = { ...putRow('check-2').parameters.input, TableName: 'hookloom-dev-workflows' };
    const node = { type: 'aws', parameters: { ...putRow('check-2').parameters, input: own } };
    await stage.storeWorkflow(workflow('check-aws-own', node));
    expect((await stage.post('/api/webhook/check-aws-own/webhook', '{}', json)).status).toBe(500);
  },
  'a node of an express run calls AWS with the role for workflows': async (stage) => {
    await stage.storeWorkflow(inBackground('check-aws-express', 'express', putRow('check-3')));
    expect(await ended(stage, await started(stage, 'check-aws-express'))).toBe('succeeded');
  },
  'a node of a durable run calls AWS with the role for workflows': async (stage) => {
    await stage.storeWorkflow(inBackground('check-aws-durable', 'durable', putRow('check-4')));
    expect(await ended(stage, await started(stage, 'check-aws-durable'))).toBe('succeeded');
  },
  'a schedule starts its workflow': async (stage) => {
    const startAt = new Date(Date.now() + 3_000).toISOString();
    await stage.storeWorkflow(triggered('check-schedule', 'scheduleTrigger', { rate: '1 minute', startAt }));
    await startedOnce(stage, 'check-schedule');
    expect(await stage.cli('workflow remove check-schedule')).toMatchObject({ code: 0 });
  },
  'a poll starts its workflow, in the background of either mode, and one that fails is recorded, and named by health':
    async (stage) => {
      const outside = await aLocalServer({
        '/items': (_request, response) =>
          void response.writeHead(200, { 'content-type': 'application/json' }).end('["a"]'),
      });
      try {
        const startAt = new Date(Date.now() + 3_000).toISOString();
        const polling = (id: string, path: string) =>
          triggered(id, 'pollTrigger', {
            rate: '1 minute',
            startAt,
            firstPoll: 'all',
            url: `${outside.origin}${path}`,
          });
        for (const execution of ['express', 'durable'] as const) {
          const definition = { ...polling(`check-poll-${execution}`, '/items'), settings: { execution } };
          await stage.storeWorkflow(definition);
        }
        await stage.storeWorkflow(polling('check-poll-fails', '/missing'));
        await startedOnce(stage, 'check-poll-express');
        await startedOnce(stage, 'check-poll-durable');
        await until(stage, async () => {
          const path = '/api/admin/executions?workflowId=check-poll-fails';
          const { executions } = (await stage.get<{ executions: readonly Shown[] }>(path)).body;
          return executions[0]?.status === 'failed';
        });
        await until(stage, async () => {
          const path = '/api/admin/plugins/health?plugin=polls';
          const { plugins } = (await stage.get<AnswerTo<typeof healthRoute>>(path)).body;
          const failing = plugins.polls?.failingPolls ?? [];
          return failing.some(({ workflowId }) => workflowId === 'check-poll-fails');
        });
        for (const id of ['check-poll-express', 'check-poll-durable', 'check-poll-fails'])
          expect(await stage.cli(`workflow remove ${id}`)).toMatchObject({ code: 0 });
      } finally {
        await outside.close();
      }
    },
  'an event starts its workflow': async (stage) => {
    await stage.storeWorkflow(triggered('check-event', 'eventTrigger', { pattern: { source: ['check'] } }));
    const event = [{ source: 'check', 'detail-type': 'Happened', detail: {} }];
    expect(await stage.cli('event put -', { stdin: JSON.stringify(event) })).toMatchObject({ code: 0 });
    await startedOnce(stage, 'check-event');
    expect(await stage.cli('workflow remove check-event')).toMatchObject({ code: 0 });
  },
  'a message starts its workflow': async (stage) => {
    const queue = 'arn:aws:sqs:us-east-1:000000000000:checks';
    await stage.storeWorkflow(triggered('check-message', 'queueTrigger', { queue }));
    const message = JSON.stringify({ queue, body: { n: 1 } });
    expect(await stage.cli('event put -', { stdin: message })).toMatchObject({ code: 0 });
    await startedOnce(stage, 'check-message');
    expect(await stage.cli('workflow remove check-message')).toMatchObject({ code: 0 });
  },
  'a failure starts the workflow that asks for it': async (stage) => {
    await stage.storeWorkflow(triggered('check-on-failure', 'errorTrigger', { workflows: ['check-fails'] }));
    await stage.storeWorkflow(
      workflow('check-fails', { type: 'stopAndError', parameters: { message: 'no' } }),
    );
    expect((await stage.post('/api/webhook/check-fails/webhook', '{}', json)).status).toBe(500);
    await startedOnce(stage, 'check-on-failure');
  },
  'a failure is sent to the workflow that asks for notices, and is over when its workflow works again':
    async (stage) => {
      const id = 'check-notices';
      const openCount = async () => {
        const { body } = await stage.get<AnswerTo<typeof listNoticesRoute>>('/api/admin/notices');
        return body.notices.filter(({ workflowId }) => workflowId === id).length;
      };
      await stage.storeWorkflow(triggered('check-told', 'noticeTrigger', { workflows: [id] }));
      await stage.storeWorkflow(workflow(id, { type: 'stopAndError', parameters: { message: 'no' } }));
      expect((await stage.post(`/api/webhook/${id}/webhook`, '{}', json)).status).toBe(500);
      await startedOnce(stage, 'check-told');
      expect(await openCount()).toBe(1);
      await stage.storeWorkflow(workflow(id, { type: 'noOp', parameters: {} }));
      await until(stage, async () => {
        await stage.post(`/api/webhook/${id}/webhook`, '{}', json);
        await stage.fire('SweepEventsRuleSchedule2');
        return (await openCount()) === 0;
      });
      expect(await stage.cli('workflow remove check-told')).toMatchObject({ code: 0 });
    },
  'a run that Lambda gives up is finished by the sweeper, out of the dead-letter queue': async (stage) => {
    const outside = await startTargetServer();
    try {
      const node = { type: 'httpRequest', parameters: { url: `${outside.url}/never` } };
      await stage.storeWorkflow(inBackground('check-given-up', 'express', node));
      const id = await started(stage, 'check-given-up');
      for (let attempt = 1; attempt <= 3; attempt++) {
        await outside.received('/never', attempt);
        const processes = [...stage.service.output().matchAll(new RegExp(`run ${id}: process (\\d+)`, 'g'))];
        process.kill(Number(processes.at(-1)?.[1]), 'SIGKILL');
      }
      await poll(async () => {
        const output = stage.service.output();
        if (/the role of \w+ lacks|the event is lost/.test(output)) throw new Error('no right to the queue');
        return (await show(stage, id)).status === 'failed';
      });
    } finally {
      outside.stop();
    }
  },
  'what has a schedule runs by it': async (stage) => {
    const known = (await stage.refusals()).length;
    for (const rule of ['SweepEventsRuleSchedule1', 'SweepEventsRuleSchedule2']) await stage.fire(rule);
    await stage.fire('SweepRegistrationsEventsRuleSchedule1');
    await stage.fire('RetryExecutionsEventsRuleSchedule1');
    await stage.storeWorkflow(inBackground('check-after-sweep', 'express'));
    expect(await ended(stage, await started(stage, 'check-after-sweep'))).toBe('succeeded');
    expect((await stage.refusals()).slice(known)).toEqual([]);
  },
  'an execution is listed, shown, retried and cancelled': async (stage) => {
    await stage.storeWorkflow(inBackground('check-again', 'express'));
    const id = await started(stage, 'check-again');
    expect(await ended(stage, id)).toBe('succeeded');
    const again = await stage.cli(`execution retry ${id}`);
    expect(again).toMatchObject({ code: 0 });
    const keyed = { ...json, 'idempotency-key': 'check-again' };
    const retries = [1, 2].map(() => stage.post<Shown>(`/api/admin/executions/${id}/retry`, '{}', keyed));
    const [first, second] = await Promise.all(retries);
    expect([first?.status, second?.status]).toEqual([202, 202]);
    expect(first?.body.executionId).toBe(second?.body.executionId);
    await stage.storeWorkflow(
      inBackground('check-waits', 'durable', { type: 'wait', parameters: { seconds: 600 } }),
    );
    const waiting = await started(stage, 'check-waits');
    await until(stage, async () => (await show(stage, waiting)).status === 'waiting');
    expect((await stage.post(`/api/admin/executions/${waiting}/cancel`, '{}', json)).status).toBe(200);
    expect(await ended(stage, waiting)).toBe('cancelled');
    for (const status of ['succeeded', 'cancelled'])
      expect((await stage.get(`/api/admin/executions?status=${status}`)).status).toBe(200);
    expect((await stage.get('/api/admin/executions')).status).toBe(200);
  },
  'every admin route answers an operator, and nobody without a signature': async (stage) => {
    const paths = [
      ...['', '/triggers', '/actions', '/providers', '/health', '/debug', '/flow'].map(
        (path) => `/api/admin/plugins${path}`,
      ),
      ...['executions', 'requests?workflowId=hello', 'approvals', 'debug'].map(
        (path) => `/api/admin/${path}`,
      ),
    ];
    const routes = [
      ...paths.map((path) => ({ path, method: 'GET', status: 200 })),
      ...['plugins/health/live', 'approvals/addresses'].map((path) => ({
        path: `/api/admin/${path}`,
        method: 'POST',
        status: 200,
      })),
    ];
    const missing = [
      ['GET', 'executions/none'],
      ['GET', 'requests/none'],
      ['POST', 'executions/none/retry'],
      ['POST', 'executions/none/cancel'],
      ['POST', 'workflows/none/executions'],
      ['POST', 'requests/none/send-again'],
      ['POST', 'credentials/none/test'],
    ].map(([method, path]) => ({ path: `/api/admin/${path}`, method: String(method), status: 404 }));
    for (const { path, method, status } of [...routes, ...missing]) {
      const init = method === 'POST' ? { method, headers: json, body: '{}' } : { method };
      expect([path, (await stage.callAs('operator', path, init)).status]).toEqual([path, status]);
      const refused = await stage.callAs(null, path, init);
      expect([path, refused.status, await refused.json()]).toEqual([path, 403, { message: 'Forbidden' }]);
    }
  },
} satisfies Record<string, StageCheck>;

/** By what the stage does. */
export type CheckName = keyof typeof checks;

export const checkNames = Object.keys(checks) as CheckName[];

/** @throws Error when the stage does not do it */
export const runCheck = async (stage: RunningStage, name: CheckName): Promise<void> => {
  const refusals = (await stage.refusals()).length;
  beginnings.set(stage, { refusals, printed: stage.service.output().length });
  await checks[name](stage);
  if (!refusing.has(name)) expect((await stage.refusals()).slice(refusals)).toEqual([]);
};

/** Checks of what is refused; and `workflow put` reads a signing secret only where its keys may. */
const refusing: ReadonlySet<CheckName> = new Set([
  'a secret is read for a signature',
  'a node calls AWS with the role for workflows, and with no more',
  'every admin route answers an operator, and nobody without a signature',
]);
