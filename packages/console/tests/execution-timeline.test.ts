import { describe, expect, test } from '@jest/globals';
import { findCriticalPath, findReadyTimes } from '../src/views/execution/critical-path.ts';
import { findRun, type NodeRun, pathTo, runKey, toTree } from '../src/views/execution/node-runs.ts';
import { createTimeScale } from '../src/views/execution/time-scale.ts';
import { createTimeline } from '../src/views/execution/timeline-rows.ts';

const START = Date.parse('2026-11-26T09:00:00.000Z');

const aRun = (nodeId: string, from: number, to: number, more: Partial<NodeRun> = {}): NodeRun => ({
  nodeId,
  type: 'set',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: new Date(START + from).toISOString(),
  durationMs: to - from,
  ...more,
});

const edge = (sourceNodeId: string, targetNodeId: string) => ({ sourceNodeId, targetNodeId });

/** A loop over three items, of which the second failed. */
const looped = [
  aRun('request', 0, 1),
  aRun('each', 1, 40, { type: 'forEach' }),
  aRun('check', 1, 10, { within: 'each/0/0' }),
  aRun('check', 10, 30, { within: 'each/0/1' }),
  aRun('refuse', 30, 40, { within: 'each/0/1', status: 'failed' }),
  aRun('check', 2, 5, { within: 'each/0/2' }),
];
const loopedEdges = [edge('request', 'each'), edge('each', 'check'), edge('check', 'refuse')];

describe('the tree of node runs', () => {
  test('puts the runs of a body below the node that ran it, failed items first', () => {
    const [request, each] = toTree(looped);
    expect(request?.items).toEqual([]);
    expect(each?.items.map(({ number, hasFailed }) => [number, hasFailed])).toEqual([
      [1, true],
      [0, false],
      [2, false],
    ]);
  });

  test('shows a failure deep inside on every item around it', () => {
    const tree = toTree([
      aRun('each', 0, 9, { type: 'forEach' }),
      aRun('inner', 0, 9, { type: 'forEach', within: 'each/0/4' }),
      aRun('book', 0, 9, { status: 'failed', within: 'each/0/4/inner/0/2' }),
    ]);
    expect(tree[0]?.items[0]?.hasFailed).toBe(true);
    expect(tree[0]?.items[0]?.branches[0]?.items[0]?.hasFailed).toBe(true);
  });

  test('keeps runs whose node run the record has left out', () => {
    expect(toTree([aRun('check', 0, 1, { within: 'each/0/0' })])).toHaveLength(1);
  });

  test('knows what is around a body', () => {
    expect(pathTo('each/0/4/inner/0/2')).toEqual([
      'each/0',
      'each/0/4',
      'each/0/4/inner/0',
      'each/0/4/inner/0/2',
    ]);
  });

  test('finds the run of an address, of several the failed one', () => {
    const find = (node: string, within = '', iteration = '') => findRun(looped, { node, within, iteration });
    expect(find('check', 'each/0/2')).toBe(looped[5]);
    expect(find('refuse')).toBe(looped[4]);
    expect(find('check')).toBe(looped[5]);
    expect(find('check', '', '0')).toBeNull();
    expect(find('')).toBeNull();
  });
});

describe('the critical path', () => {
  test('goes back from the last end by the source that ended last', () => {
    const runs = [aRun('a', 0, 1), aRun('quick', 1, 3), aRun('slow', 1, 20), aRun('join', 20, 25)];
    const edges = [edge('a', 'quick'), edge('a', 'slow'), edge('quick', 'join'), edge('slow', 'join')];
    expect([...findCriticalPath(runs, edges)]).toEqual(['join/0', 'slow/0', 'a/0']);
  });

  test('leaves out what was skipped', () => {
    const runs = [aRun('a', 0, 1), aRun('b', 90, 90, { status: 'skipped' })];
    expect([...findCriticalPath(runs, [edge('a', 'b')])]).toEqual(['a/0']);
  });

  test('goes through a loop, once for each iteration', () => {
    const runs = [
      aRun('a', 0, 1),
      aRun('b', 1, 4),
      aRun('a', 4, 5, { iteration: 1 }),
      aRun('b', 5, 9, { iteration: 1 }),
    ];
    const path = findCriticalPath(runs, [edge('a', 'b'), edge('b', 'a')]);
    expect([...path]).toEqual(['b/1', 'a/1', 'b/0', 'a/0']);
  });

  test('goes through the items of a body that waited for one another', () => {
    expect([...findCriticalPath(looped, loopedEdges)].sort()).toEqual(
      ['request/0', 'each/0', 'each/0/1/check/0', 'each/0/1/refuse/0', 'each/0/0/check/0'].sort(),
    );
  });

  test('does not look into another workflow, whose nodes may have the same ids', () => {
    const runs = [aRun('a', 0, 9, { type: 'subworkflow' }), aRun('a', 1, 8, { within: 'a/0/0' })];
    expect([...findCriticalPath(runs, [])]).toEqual(['a/0']);
  });
});

test('a node could start when its sources had ended, or its body was opened', () => {
  const ready = findReadyTimes(looped, loopedEdges, START - 5);
  expect(ready.get('request/0')).toBe(START - 5);
  expect(ready.get('each/0')).toBe(START + 1);
  expect(ready.get('each/0/1/check/0')).toBe(START + 1);
  expect(ready.get('each/0/1/refuse/0')).toBe(START + 30);
});

describe('the scale of time', () => {
  test('is even without long pauses', () => {
    const { toX, folds } = createTimeScale({ from: 0, to: 100 }, [{ from: 0, to: 50 }]);
    expect(folds).toEqual([]);
    expect([toX(-1), toX(0), toX(25), toX(100), toX(101)]).toEqual([0, 0, 0.25, 1, 1]);
  });

  test('folds a pause that is much longer than all the rest', () => {
    const day = 86_400_000;
    const { toX, folds } = createTimeScale({ from: 0, to: day + 200 }, [
      { from: day + 100, to: day + 200 },
      { from: 0, to: 100 },
    ]);
    expect(folds).toEqual([{ from: 100, to: day + 100, x: expect.closeTo(0.46), width: 0.08 }]);
    expect(toX(50)).toBeCloseTo(0.23);
    expect(toX(day + 100)).toBeCloseTo(0.54);
    expect(toX(day + 200)).toBeCloseTo(1);
  });

  test('is drawn back to instants', () => {
    const { toX, toTime } = createTimeScale({ from: 0, to: 90_000 }, [{ from: 0, to: 1_000 }]);
    for (const at of [0, 400, 1_000, 60_000, 90_000]) expect(toTime(toX(at))).toBeCloseTo(at);
  });

  test('leaves room for what worked between many pauses', () => {
    const busy = Array.from({ length: 20 }, (_, at) => ({ from: at * 100_000, to: at * 100_000 + 10 }));
    const { folds } = createTimeScale({ from: 0, to: 2_000_000 }, busy);
    expect(folds.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(0.4);
  });
});

describe('the rows of the timeline', () => {
  const rowsOf = (unfolded: readonly string[]) =>
    createTimeline({
      startedAt: START,
      endedAt: START + 40,
      runs: looped,
      edges: loopedEdges,
      now: START + 40,
      unfolded: new Set(unfolded),
    }).rows.map(({ key, depth }) => `${'  '.repeat(depth)}${key}`);

  test('hide bodies until they are unfolded', () => {
    expect(rowsOf([])).toEqual(['request/0', 'each/0']);
    expect(rowsOf(['each/0', 'each/0/1'])).toEqual([
      'request/0',
      'each/0',
      '  each/0/1',
      '    each/0/1/check/0',
      '    each/0/1/refuse/0',
      '  each/0/0',
      '  each/0/2',
    ]);
  });

  test('have no row for the only body of a node', () => {
    const runs = [
      aRun('call', 0, 9, { type: 'subworkflow' }),
      aRun('start', 1, 8, { within: 'call/0/0', type: 'manualTrigger' }),
    ];
    const { rows } = createTimeline({
      startedAt: START,
      endedAt: START + 9,
      runs,
      edges: [],
      now: START + 9,
      unfolded: new Set(['call/0']),
    });
    expect(rows.map(({ key }) => key)).toEqual(runs.map(runKey));
  });

  test('last until now while a node is open, and never end before they start', () => {
    const runs = [aRun('ask', 10, 10, { status: 'waiting', type: 'approval' })];
    const barAt = (now: number) =>
      createTimeline({ startedAt: START, endedAt: null, runs, edges: [], unfolded: new Set(), now }).rows[0]
        ?.bar;
    expect(barAt(START + 500)).toMatchObject({ from: START + 10, to: START + 500, isWait: true });
    expect(barAt(START)).toMatchObject({ from: START + 10, to: START + 10 });
  });

  test('of several attempts show each, and the waits between them, which can be folded', () => {
    const hour = 3_600_000;
    const time = (attempt: number, from: number, to: number | null) => ({
      attempt,
      startedAt: new Date(START + from).toISOString(),
      endedAt: to === null ? null : new Date(START + to).toISOString(),
    });
    const shown = (run: NodeRun, now: number) => {
      const { rows, scale } = createTimeline({
        startedAt: START,
        endedAt: null,
        runs: [run],
        edges: [],
        unfolded: new Set<string>(),
        now: START + now,
      });
      const parts = rows[0]?.bar?.segments.map(({ kind, attempt, from, to, hasFailed }) =>
        [kind, attempt, from - START, to - START, ...(hasFailed ? ['failed'] : [])].join(' '),
      );
      return [parts, scale.folds.length];
    };
    const attemptTimes = [time(1, 0, 100), time(2, hour, hour + 300)];
    expect(shown(aRun('book', 0, hour + 300, { attempts: 2, attemptTimes }), hour + 300)).toEqual([
      ['attempt 1 0 100 failed', `wait 2 100 ${hour}`, `attempt 2 ${hour} ${hour + 300}`],
      1,
    ]);
    const open = aRun('book', 0, 0, { status: 'running', attempts: 2 });
    expect(shown({ ...open, attemptTimes: [time(1, 0, 100), time(2, 200, null)] }, 900)).toEqual([
      ['attempt 1 0 100 failed', 'wait 2 100 200', 'attempt 2 200 900'],
      0,
    ]);
    expect(shown({ ...open, attempts: 1, attemptTimes: [time(1, 0, 100)] }, 900)).toEqual([
      ['attempt 1 0 100 failed', 'wait 2 100 900'],
      0,
    ]);
    // An attempt whose process crashed is not on record.
    expect(shown(aRun('book', 0, 900, { attempts: 3, attemptTimes: [time(3, 500, 900)] }), 900)).toEqual([
      ['unknown 3 0 500', 'attempt 3 500 900'],
      0,
    ]);
    expect(shown(aRun('book', 0, 900, { attempts: 3 }), 900)).toEqual([[], 0]);
  });

  test('tell work from waiting for another attempt', () => {
    const why = { text: 'waited for attempt 2 of 3', until: '2026-11-26T10:00:00Z', attempt: 2 };
    const runs = [aRun('book', 0, 10, { why }), aRun('open', 0, 0, { why, status: 'waiting' })];
    const { rows } = createTimeline({
      startedAt: START,
      endedAt: null,
      runs,
      edges: [],
      unfolded: new Set<string>(),
      now: START + 9,
    });
    expect(rows.map(({ bar }) => bar?.isWait)).toEqual([false, true]);
  });

  test('show nothing for what was skipped', () => {
    const runs = [aRun('ship', 0, 0, { status: 'skipped' })];
    const { rows } = createTimeline({
      startedAt: START,
      endedAt: START,
      runs,
      edges: [],
      unfolded: new Set<string>(),
      now: START,
    });
    expect(rows[0]?.bar).toBeNull();
  });
});
