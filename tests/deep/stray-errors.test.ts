import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const SANDBOX = join(import.meta.dirname, '../support/stray-sandbox.ts');

interface ANode {
  readonly type: string;
  readonly parameters?: object;
}
const loose = (way: string): ANode => ({ type: 'loose', parameters: { way } });
const busy = (until: 'aborted' | 'thrown' | null): ANode => ({ type: 'busy', parameters: { until } });

interface Line {
  readonly takes?: number;
  readonly waits?: boolean;
  readonly answer?: { readonly statusCode: number; readonly body: string };
  readonly log?: readonly Record<string, unknown>[];
  readonly records?: readonly {
    readonly status: string;
    readonly failure: unknown;
    readonly nodes: readonly { nodeId: string; status: string; failure?: object }[];
  }[];
}

/** Sends requests, each to a workflow of these nodes, to one process, one after the other. */
const send = (...requests: readonly (readonly ANode[])[]) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [SANDBOX, JSON.stringify(requests)], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: 30_000,
  });
  const lines: Line[] = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const find = <Key extends keyof Line>(key: Key) => lines.find((line) => key in line)?.[key];
  return {
    exitCode: status,
    stderr,
    taken: lines.flatMap(({ takes }) => (takes === undefined ? [] : [takes])),
    hasWaited: lines.some(({ waits }) => waits),
    answers: lines.flatMap(({ answer }) => (answer === undefined ? [] : [answer.statusCode])),
    log: (find('log') ?? []).map(({ message, nodeId, executionId, workflowId, cause }) => ({
      message,
      nodeId,
      executionId,
      workflowId,
      cause,
    })),
    records: find('records') ?? [],
  };
};

test.each([
  ['rejects', 'UnhandledRejection'],
  ['rejects later', 'UnhandledRejection'],
  ['throws in a microtask', 'UncaughtException'],
  ['throws in a timer', 'UncaughtException'],
  ['emits an error', 'UncaughtException'],
])('a node that %s fails its own execution by name, which is answered, and the process ends', (way, name) => {
  const { exitCode, taken, answers, records, log, stderr } = send(
    [loose(way), busy('aborted')],
    [busy(null)],
  );
  const failure = { nodeId: 'node-1', name, message: 'Error: let loose' };
  expect(stderr).toBe('');
  expect(answers).toEqual([500]);
  expect(records).toMatchObject([{ status: 'failed', failure }]);
  const [start, first, ...others] = records[0]?.nodes ?? [];
  expect(start).toMatchObject({ nodeId: 'start', status: 'succeeded' });
  expect(first).toMatchObject({ nodeId: 'node-1', status: 'failed', failure });
  for (const node of others) {
    const message = 'the execution failed at the node "node-1"';
    expect(node).toMatchObject({ status: 'failed', failure: { name: 'ExecutionFailed', message } });
  }
  expect(log).toEqual([
    {
      message: 'Unhandled error of a node; its execution has failed.',
      nodeId: 'node-1',
      executionId: 'execution-1',
      workflowId: 'flow-0',
      cause: { name: 'Error', message: 'let loose' },
    },
  ]);
  // Between the answer and the next event: that one goes to another process.
  expect({ taken, exitCode }).toEqual({ taken: [0], exitCode: 1 });
});

test('a rejection by the last node fails the execution, too: its result is not known before', () => {
  const { answers, records, exitCode } = send([loose('rejects')]);
  expect(answers).toEqual([500]);
  expect(records).toMatchObject([
    { status: 'failed', failure: { nodeId: 'node-1', name: 'UnhandledRejection' } },
  ]);
  expect(exitCode).toBe(1);
});

test('errors that cannot be described are contained like any other', () => {
  const { answers, records } = send([loose('throws what is no error'), busy('aborted')]);
  expect(answers).toEqual([500]);
  expect(records).toMatchObject([
    { failure: { name: 'UncaughtException', message: 'Error: a node threw an object that is not an Error' } },
  ]);
});

test('an error after the end of its execution is logged with it, and fails no other one', () => {
  const { answers, records, log, taken, exitCode } = send(
    [loose('throws after its execution')],
    [busy('thrown')],
    [busy(null)],
  );
  expect(answers).toEqual([200, 200]);
  expect(records.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(log).toEqual([
    {
      message: 'Unhandled error of a node, after the end of its execution.',
      nodeId: 'node-1',
      executionId: 'execution-1',
      workflowId: 'flow-0',
      cause: { name: 'Error', message: 'let loose' },
    },
  ]);
  // The second request was under way: it is answered, and the third one goes to another process.
  expect({ taken, exitCode }).toEqual({ taken: [0, 1], exitCode: 1 });
});

test('an error while the process waits does not end it, since that would fail the next request', () => {
  const { taken, hasWaited, exitCode, log } = send([loose('throws after its execution')]);
  expect({ taken, hasWaited, exitCode }).toEqual({ taken: [0], hasWaited: true, exitCode: 0 });
  expect(log).toHaveLength(1);
});

test('without such an error the process continues', () => {
  const { answers, log, hasWaited, exitCode } = send([loose('nothing')], [busy(null)]);
  expect({ answers, log, hasWaited, exitCode }).toEqual({
    answers: [200, 200],
    log: [],
    hasWaited: true,
    exitCode: 0,
  });
});
