import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { json } from '../support/a-running-project.ts';
import { useRunningStage } from '../support/a-running-stage.ts';
import { cases } from '../support/deep.ts';
import { poll } from '../support/poll.ts';

const KILLS = cases(20, 200);
const SENDERS = 6;

/**
 * Whether deliveries are sent again until their execution starts, which takes ten seconds. Otherwise the sweeper starts
 * those whose first process was killed before the dispatch, after two minutes.
 */
const REPEATS = cases(true, false);

/** More would keep any work from being done. */
const KILLS_PER_DELIVERY = 2;

/** By delivery and node, or by item: the keys of the requests that have arrived. A receiver takes requests of one key for one. */
const arrived = new Map<string, Set<string>>();

const outside = createServer(async (request, response) => {
  const key = String(request.headers['idempotency-key']);
  const { items = [''] } = JSON.parse((await text(request)) || '{}');
  for (const item of items) {
    const place = `${request.url}${item}`;
    arrived.set(place, (arrived.get(place) ?? new Set()).add(key));
  }
  // So long that a process is killed before, in and after a request.
  setTimeout(() => response.writeHead(200, json).end('{"ok":true}'), Math.random() * 40);
});

beforeAll(() => new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  outside.closeAllConnections();
  outside.close();
});

const stage = useRunningStage({ args: () => ['--no-samples'] });

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

/** The acknowledged deliveries, by execution. */
const acknowledged = new Map<string, { readonly workflowId: string; readonly body: JsonObject }>();

/**
 * Sends until it is acknowledged, as a sender of webhooks does; a caller that waits for the result sends once, and may get
 * none.
 *
 * @returns the id of the execution; empty if there is none
 */
const send = async (workflowId: string, body: JsonObject, isOnce = false): Promise<string> => {
  for (;;) {
    const response = await stage.fetch(`/api/webhook/${workflowId}/webhook`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    });
    const answer = (await response.json().catch(() => ({}))) as JsonObject;
    const executionId = response.headers.get('hookloom-execution-id') ?? answer.executionId;
    if (response.status < 300 || isOnce) {
      acknowledged.set(String(executionId), { workflowId, body });
      return String(executionId ?? '');
    }
    await pause(5);
  }
};

interface Listed {
  readonly executionId: string;
  readonly status: string;
  readonly failure?: { readonly name: string; readonly message: string };
}

const OPEN = ['accepted', 'running', 'waiting'];

/** Sends deliveries, several at once, while processes are killed. @param sendOne - sends the delivery of a number */
const killWhileSending = async (sendOne: (count: number) => Promise<void>): Promise<void> => {
  let kills = 0;
  let begun = 0;
  let sent = 0;
  const sender = async () => {
    while (kills < KILLS) {
      await sendOne(begun++);
      sent++;
    }
  };
  const killer = async () => {
    while (kills < KILLS) {
      await pause(Math.random() * 60);
      if (kills >= KILLS_PER_DELIVERY * (sent + 1)) continue;
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
};

/** Reads from the admin API, again if the process that answers was killed or is too slow. */
const read = async <Body>(path: string): Promise<Body> => {
  for (;;) {
    const response = await stage.callAs('operator', path);
    if (response.status < 500) return (await response.json()) as Body;
    await pause(500);
  }
};

/** The executions of a workflow, by id. */
const listExecutions = async (workflowId: string): Promise<Map<string, Listed>> => {
  const found = new Map<string, Listed>();
  for (let cursor = ''; ; ) {
    const path = `/api/admin/executions?workflowId=${workflowId}&limit=100${cursor}`;
    const page = await read<{ executions: readonly Listed[]; nextCursor?: string | null }>(path);
    for (const execution of page.executions) found.set(execution.executionId, execution);
    if (typeof page.nextCursor !== 'string') return found;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
};

/** Waits for the end of all executions of workflows. @returns each, by id */
const ended = async (workflowIds: readonly string[]): Promise<Map<string, Listed>> => {
  let found = new Map<string, Listed>();
  await poll(async () => {
    await stage.fire('SweepEventsRuleSchedule1');
    await pause(500);
    const lists: Map<string, Listed>[] = [];
    for (const id of workflowIds) lists.push(await listExecutions(id));
    found = new Map(lists.flatMap((list) => [...list]));
    const open = [...found.values()].filter(({ status }) => OPEN.includes(status));
    for (const { executionId, status } of open) {
      const delivery = acknowledged.get(executionId);
      if (REPEATS && status === 'accepted' && delivery !== undefined)
        await send(delivery.workflowId, delivery.body);
    }
    return open.length === 0;
  });
  return found;
};

// holds: accepted-runs-happen, one-delivery-one-run, survives-a-kill
test(`${KILLS} process kills lose nothing, duplicate nothing, and leave nothing open`, async () => {
  for (const shape of shapes) await stage.storeWorkflow(aWorkflow(shape));
  const deliveries: Delivery[] = [];
  await killWhileSending(async (count) => {
    const shape = shapes[count % shapes.length] ?? 'durable';
    const id = `${shape}-${count}`;
    const executionId = await send(`killed-${shape}`, { id }, shape === 'sync');
    deliveries.push({ id, shape, executionId });
  });

  // A run that its caller waits for is in no sweep. One whose process was killed is ended by a read, a quarter of an hour later.
  const background = await ended(['killed-durable', 'killed-express']);
  const executions = new Map([...background, ...(await listExecutions('killed-sync'))]);
  const wrong: unknown[] = [];
  for (const { id, shape, executionId } of deliveries) {
    const status = executions.get(executionId)?.status;
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

const WINDOW = 4;

/** Remembers in each way, and sends the items that are new. */
const aWorkflowWithState = (mode: 'durable' | 'express') => {
  const state = (id: string, operation: string, parameters: JsonObject) => ({
    id,
    type: 'state',
    parameters: { operation, store: mode, ...parameters },
  });
  const tell = (id: string, items: string) => ({
    id,
    type: 'httpRequest',
    parameters: {
      method: 'POST',
      idempotencyKey: true,
      body: { items },
      url: `http://127.0.0.1:${(outside.address() as AddressInfo).port}/${mode}/${id}/`,
    },
  });
  const later = { items: '{{ $trigger.body.feed }}', prefix: 'later/' };
  const nodes = [
    state('count', 'increment', { key: 'count' }),
    state('append', 'append', { key: 'ids', value: '{{ $trigger.body.id }}', maxItems: 10_000 }),
    state('put', 'put', { key: 'id/{{ $trigger.body.id }}', value: '{{ $trigger.body.id }}', ifVersion: 0 }),
    state('remove', 'delete', { key: 'id/{{ $trigger.body.id }}', ifVersion: 1 }),
    state('large', 'put', {
      key: 'large/{{ $trigger.body.id }}',
      ifVersion: 0,
      value: '{{ $pad($trigger.body.id, 400000, ".") }}',
    }),
    state('again', 'append', {
      key: 'list/{{ $trigger.body.id }}',
      value: '{{ $pad($trigger.body.id, 400000, ".") }}',
    }),
    state('more', 'append', { key: 'list/{{ $trigger.body.id }}', value: '{{ $trigger.body.id }}' }),
    state('removeLarge', 'delete', { key: 'large/{{ $trigger.body.id }}', ifVersion: 1 }),
    state('new', 'newItems', { items: '{{ $trigger.body.feed }}', prefix: 'item/' }),
    tell('atOnce', '{{ items }}'),
    state('newLater', 'newItems', { ...later, markAfterSeconds: 86_400 }),
    tell('later', '{{ items }}'),
    state('mark', 'markSeen', later),
    state('once', 'once', { key: 'once/{{ $trigger.body.id }}' }),
    tell('first', '{{ [$trigger.body.id] }}'),
  ];
  const [first, ...others] = nodes;
  return {
    id: `killed-state-${mode}`,
    name: mode,
    enabled: true,
    settings: { execution: mode },
    nodes: [
      {
        id: 'in',
        type: 'webhookTrigger',
        parameters: { responseMode: 'onReceived', deduplication: 'body.id' },
      },
      ...nodes,
    ],
    connections: [
      { sourceNodeId: 'in', targetNodeId: first?.id },
      ...others.map(({ id }, at) => ({
        sourceNodeId: nodes[at]?.id,
        targetNodeId: id,
        ...(nodes[at]?.id === 'once' ? { sourceOutput: 'true' } : {}),
      })),
    ],
  };
};

interface Entries {
  readonly entries: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly claim: { readonly confirmBy: string | null } | null;
  }[];
  readonly nextCursor: string | null;
}

// holds: state-write-once
test(`${KILLS} process kills let each operation of state take effect once`, async () => {
  const modes = ['durable', 'express'] as const;
  for (const mode of modes) await stage.storeWorkflow(aWorkflowWithState(mode));
  const sent = { durable: 0, express: 0 };
  await killWhileSending(async (count) => {
    const mode = count % 4 === 3 ? 'express' : 'durable';
    const id = sent[mode]++;
    const feed = Array.from({ length: WINDOW }, (_, at) => String(id + at));
    await send(`killed-state-${mode}`, { id: String(id), feed });
  });
  for (const mode of modes) {
    const executions = [...(await ended([`killed-state-${mode}`])).values()];
    const failures = executions.filter(({ status }) => status !== 'succeeded');
    const failed = failures.length;
    expect(executions).toHaveLength(sent[mode]);
    // Lambda gives an express run up after three attempts.
    if (mode === 'durable') expect(failures.map(({ failure }) => failure)).toEqual([]);

    const list = async (prefix: string) => {
      const all: Entries['entries'][number][] = [];
      for (let cursor = ''; ; ) {
        const path = `/api/admin/state?store=${mode}&prefix=${encodeURIComponent(prefix)}&limit=100${cursor}`;
        const { entries, nextCursor } = await read<Entries>(path);
        all.push(...entries);
        if (nextCursor === null) return all;
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
      }
    };
    const all = (count: number) => Array.from({ length: count }, (_, at) => String(at));
    const ids = (await list('ids'))[0]?.value as readonly string[];
    expect(new Set(ids).size).toBe(ids.length);
    const [counted] = await list('count');
    expect(counted?.value).toBeGreaterThanOrEqual(sent[mode] - failed);
    expect(counted?.value).toBeLessThanOrEqual(sent[mode]);
    const timesOf = (node: string, count: number) =>
      all(count).map((item) => arrived.get(`/${mode}/${node}/${item}`)?.size ?? 0);
    const times = {
      atOnce: timesOf('atOnce', sent[mode] + WINDOW - 1),
      later: timesOf('later', sent[mode] + WINDOW - 1),
      first: timesOf('first', sent[mode]),
    };
    for (const of of Object.values(times)) {
      expect(of.filter((count) => count > 1)).toEqual([]);
      expect(of.filter((count) => count === 0).length).toBeLessThanOrEqual(failed * WINDOW);
    }
    if (failed > 0) continue;
    expect(ids.toSorted()).toEqual(all(sent[mode]).toSorted());
    expect(counted?.value).toBe(sent[mode]);
    expect(await list('id/')).toEqual([]);
    expect(await list('large/')).toEqual([]);
    const lists = await list('list/');
    expect(lists).toHaveLength(sent[mode]);
    for (const { key } of lists) {
      const path = `/api/admin/state/entry?store=${mode}&key=${encodeURIComponent(key)}`;
      const id = key.slice('list/'.length);
      expect([key, (await read<{ readonly value: unknown }>(path)).value]).toEqual([
        key,
        [id.padEnd(400_000, '.'), id],
      ]);
    }
    expect((await list('later/')).filter(({ claim }) => claim?.confirmBy !== null)).toEqual([]);
  }
});
