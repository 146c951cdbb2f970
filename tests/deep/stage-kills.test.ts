import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { json } from '../support/a-running-project.ts';
import { useRunningStage } from '../support/a-running-stage.ts';
import { cases } from '../support/deep.ts';
import { poll } from '../support/poll.ts';

const KILLS = cases(20, 200);
const SENDERS = 6;

/** More would keep any work from being done. */
const KILLS_PER_DELIVERY = 2;

/** By delivery and node: the keys of the requests that have arrived. A receiver takes requests of one key for one. */
const arrived = new Map<string, Set<string>>();

const outside = createServer((request, response) => {
  const key = String(request.headers['idempotency-key']);
  const place = String(request.url);
  arrived.set(place, (arrived.get(place) ?? new Set()).add(key));
  // So long that a process is killed before, in and after a request.
  setTimeout(() => response.writeHead(200, json).end('{"ok":true}'), Math.random() * 40);
});

beforeAll(() => new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  outside.closeAllConnections();
  outside.close();
});

const stage = useRunningStage({ args: () => ['--no-samples', '--env', 'LOG_LEVEL=error'] });

const shapes = ['durable', 'express', 'sync'] as const;
type Shape = (typeof shapes)[number];

const NODES: Readonly<Record<Shape, readonly string[]>> = {
  durable: ['first', 'second', 'third'],
  express: ['first', 'second'],
  sync: ['first', 'second'],
};

const call = (id: string) => ({
  id,
  type: 'httpRequest',
  parameters: {
    method: 'POST',
    url: `http://127.0.0.1:${(outside.address() as AddressInfo).port}/{{ $trigger.body.id }}/${id}`,
    idempotencyKey: true,
  },
});

const aWorkflow = (shape: Shape) => {
  const ids = NODES[shape];
  return {
    id: `killed-${shape}`,
    name: shape,
    enabled: true,
    nodes: [
      {
        id: 'in',
        type: 'webhookTrigger',
        parameters: {
          responseMode: shape === 'sync' ? 'lastNode' : 'onReceived',
          deduplication: 'body.id',
        },
      },
      ...ids.map(call),
    ],
    connections: ids.map((id, at) => ({
      sourceNodeId: at === 0 ? 'in' : String(ids[at - 1]),
      targetNodeId: id,
    })),
    ...(shape === 'sync' ? {} : { settings: { execution: shape } }),
  };
};

interface Delivery {
  readonly id: string;
  readonly shape: Shape;
  readonly executionId: string;
}

/** Sends until it is acknowledged, as a sender of webhooks does; a caller that waits for the result sends once, and may get none. */
const send = async (shape: Shape, id: string): Promise<Delivery> => {
  for (;;) {
    const response = await stage.fetch(`/api/webhook/killed-${shape}/webhook`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ id }),
    });
    const body = (await response.json().catch(() => ({}))) as JsonObject;
    const executionId = response.headers.get('hookloom-execution-id') ?? body.executionId;
    if (response.status < 300 || shape === 'sync')
      return { id, shape, executionId: String(executionId ?? '') };
    await pause(5);
  }
};

interface Listed {
  readonly executionId: string;
  readonly status: string;
}

const OPEN = ['accepted', 'running', 'waiting'];

test(`${KILLS} process kills lose nothing, duplicate nothing, and leave nothing open`, async () => {
  for (const shape of shapes) await stage.storeWorkflow(aWorkflow(shape));
  const deliveries: Delivery[] = [];
  let kills = 0;
  let count = 0;
  const sender = async () => {
    while (kills < KILLS) {
      const at = count++;
      const shape = shapes[at % shapes.length] ?? 'durable';
      deliveries.push(await send(shape, `${shape}-${at}`));
    }
  };
  const killer = async () => {
    while (kills < KILLS) {
      await pause(Math.random() * 60);
      if (kills >= KILLS_PER_DELIVERY * (deliveries.length + 1)) continue;
      const busy = await stage.processes();
      const victim = busy[Math.floor(Math.random() * busy.length)];
      if (victim === undefined) continue;
      try {
        process.kill(victim.pid, 'SIGKILL');
        kills++;
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  await Promise.all([killer(), ...Array.from({ length: SENDERS }, sender)]);

  const statuses = new Map<string, string>();
  const list = async (shape: Shape) => {
    for (let cursor = ''; ; ) {
      const path = `/api/admin/executions?workflowId=killed-${shape}&limit=100${cursor}`;
      const { status, body } = await stage.get<{
        executions: readonly Listed[];
        nextCursor?: string | null;
      }>(path);
      if (status >= 500) continue; // of a process that was killed, or too slow
      for (const { executionId, status } of body.executions) statuses.set(executionId, status);
      if (typeof body.nextCursor !== 'string') return;
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
  };
  await poll(async () => {
    await stage.fire('SweepEventsRuleSchedule1');
    await pause(500);
    for (const shape of ['durable', 'express'] as const) await list(shape);
    return [...statuses.values()].every((status) => !OPEN.includes(status));
  });

  // A run that its caller waits for is in no sweep. One whose process was killed is ended by a read, a quarter of an hour later.
  await list('sync');
  const wrong: unknown[] = [];
  for (const { id, shape, executionId } of deliveries) {
    const status = statuses.get(executionId);
    const keys = NODES[shape].map((node) => arrived.get(`/${id}/${node}`)?.size ?? 0);
    const isOnce = keys.every((times) => times === 1);
    // Lambda gives an express run up after three attempts, and a caller's run ends with its process: both end, failed.
    const isUnanswered = shape === 'sync' && executionId === '';
    const mayFail =
      shape !== 'durable' && (status === 'failed' || isUnanswered) && keys.every((times) => times <= 1);
    if (!(status === 'succeeded' && isOnce) && !mayFail) wrong.push({ id, status, keys });
  }
  expect(wrong).toEqual([]);
  expect(deliveries.length).toBeGreaterThanOrEqual(KILLS / KILLS_PER_DELIVERY - 1);
});
