import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const TYPES: Readonly<Record<string, JsonObject>> = {
  r: { type: 'respondToWebhook', settings: { onError: 'route' } },
  s: { type: 'set', parameters: { values: {} } },
  i: { type: 'if', parameters: { condition: '{{ $trigger.body.a = 1 }}' } },
  k: { type: 'filter', parameters: { condition: '{{ $trigger.body.a = 1 }}' } },
  c: { type: 'httpRequest', parameters: { url: 'https://shop.example' }, settings: { onError: 'route' } },
  w: { type: 'wait', parameters: { seconds: 6 } },
  l: { type: 'wait', parameters: { seconds: 3_600 } },
  a: { type: 'approval' },
  m: { type: 'webhookTrigger', parameters: { path: '/other' } },
};

/** What is reported of a workflow, as `PLACE: MESSAGE`. @param edges - the first letter of an id is its type */
const check = async (edges: string, parameters: object = {}, format = 2) => {
  const connections = edges.split(', ').map((edge) => {
    const [from = '', targetNodeId = ''] = edge.split(' -> ');
    const [sourceNodeId = '', sourceOutput = 'main'] = from.split('.');
    return { sourceNodeId, sourceOutput, targetNodeId };
  });
  const ids = new Set(connections.flatMap(({ sourceNodeId, targetNodeId }) => [sourceNodeId, targetNodeId]));
  ids.delete('t');
  const trigger = {
    id: 't',
    type: 'webhookTrigger',
    parameters: { responseMode: 'responseNode', ...parameters },
  };
  const nodes = [trigger, ...[...ids].sort().map((id) => ({ id, ...TYPES[id[0] ?? ''] }))];
  const routed = new Set(
    connections.flatMap((one) => (one.sourceOutput === 'error' ? [one.sourceNodeId] : [])),
  );
  const withoutRoute = nodes.map((node) =>
    'settings' in node && !routed.has(node.id) ? { ...node, settings: {} } : node,
  );
  const file = { id: 'shop', name: 'Shop', format, nodes: withoutRoute, connections };
  const { problems, warnings } = await validateWorkflow(file, findNodeType);
  const toText = ({ path, message }: { readonly path: string; readonly message: string }) =>
    `${path.replace(/\/nodes\/(\d+)/, (_, index) => nodes[index]?.id ?? '')}: ${message}`;
  return {
    problems: problems.map(toText),
    warnings: warnings.map(toText),
    proposals: warnings.flatMap((one) => one.proposal ?? []),
  };
};

const quiet = { problems: [], warnings: [], proposals: [] };

describe('a response that waits for the end of the run', () => {
  const message = (id: string) =>
    `the response waits for the end of the run, with "${id}": "continueAfterResponse": true sends it as soon as respondToWebhook has run`;
  const proposals = [{ op: 'add', path: '/nodes/0/parameters/continueAfterResponse', value: true }];

  test.each([
    ['t -> r, r -> w', 'w'],
    ['t -> r, r -> s, s -> c', 'c'],
    ['t -> r, t -> c', 'c'],
  ])('is reported for %s in format 1', async (edges, id) => {
    const warnings = [`t/parameters/responseMode: ${message(id)}`];
    expect(await check(edges, {}, 1)).toEqual({ problems: [], warnings, proposals });
    expect(await check(edges, { onTimeout: 'continue' }, 1)).toEqual({ problems: [], warnings, proposals });
    expect(await check(edges, { onTimeout: 'fail' }, 1)).toEqual({ problems: [], warnings, proposals: [] });
  });

  test.each([1, 2])('is reported in format %i if the trigger wants it', async (format) => {
    const warnings = [`t/parameters/continueAfterResponse: ${message('w')}`];
    expect(await check('t -> r, r -> w', { continueAfterResponse: false }, format)).toEqual({
      problems: [],
      warnings,
      proposals,
    });
  });

  test.each([
    ['t -> r, r -> w', 2],
    ['t -> r, r -> l', 2],
    ['t -> r, r -> a', 2],
    ['t -> r, r -> s', 1],
    ['t -> c, c -> r', 1],
    ['t -> w, w -> r', 1],
  ])('is not reported for %s in format %i', async (edges, format) => {
    expect(await check(edges, {}, format)).toEqual(quiet);
  });
});

describe('a wait of an hour', () => {
  test('may follow a response in format 2, and is refused where the run ends with it', async () => {
    expect((await check('t -> r, r -> l', { continueAfterResponse: false })).problems).toEqual([
      expect.stringContaining(
        't/parameters/responseMode: makes the caller wait for the result, but "l" waits 3600',
      ),
    ]);
    expect((await check('t -> l, l -> r')).problems).toHaveLength(1);
  });

  test.each([
    ['l', '"l" waits 3600 seconds'],
    ['a', '"a" waits for an outside answer'],
  ])('or more before a response that is early is reported: %s', async (id, reason) => {
    const edges = `t -> ${id}, ${id}${id === 'a' ? '.approved' : ''} -> r, r -> c`;
    expect((await check(edges)).warnings).toContain(
      `t/parameters/responseMode: the caller gets 202 instead of the response, since ${reason}`,
    );
    const warnings = (await check(edges, { onTimeout: 'continue' })).warnings.join();
    expect(warnings).not.toContain('202');
  });

  test('behind another response is not before one', async () => {
    const { warnings } = await check('t -> r1, r1 -> l, l -> r2, r2 -> c');
    expect(warnings).toEqual([
      'r2: can run after "r1" has responded: the caller gets only the first response',
    ]);
  });
});

describe('onTimeout "fail"', () => {
  test('is refused where the run continues, which names why', async () => {
    expect((await check('t -> r, r -> w', { onTimeout: 'fail' })).problems).toEqual([
      't/parameters/onTimeout: cannot be "fail" with continueAfterResponse, the default here: remove it, or set continueAfterResponse to false: the run continues, and the caller gets 202',
    ]);
    expect(await check('t -> r', { onTimeout: 'fail' })).toEqual(quiet);
  });
});

describe('a response that comes after another one', () => {
  const second = 'the caller gets only the first response';

  test.each([
    ['t -> r1, r1 -> r2', `r2: can run after "r1" has responded: ${second}`],
    ['t -> r1, r1 -> c, c -> i, i.true -> r2', `r2: can run after "r1" has responded: ${second}`],
    [
      't -> i, i.true -> r1, r1 -> s, i.false -> s, s -> r2',
      `r2: can run after "r1" has responded: ${second}`,
    ],
    ['t -> r1, t -> r2', `r2: always runs beside "r1": ${second}`],
    ['t -> s1, s1 -> r1, t -> s2, s2 -> c, c -> r2', `r2: always runs beside "r1": ${second}`],
    ['t -> c, c -> r, r -> i, i.true -> c', `r: is in a loop: ${second}`],
  ])('is reported: %s', async (edges, warning) => {
    expect((await check(edges)).warnings).toContain(warning);
  });

  test.each([
    't -> i, i.true -> r1, i.false -> r2',
    't -> c, c -> r1, c.error -> r2',
    't -> r1, r1.error -> r2',
    't -> k1, k1 -> r1, t -> k2, k2 -> r2',
    't -> i1, i1.true -> r1, t -> i2, i2.true -> r2, i1.false -> s, i2.false -> s',
    'm -> s, s -> i, i.true -> c, t -> i, i.true -> r',
    't -> i, i.true -> s1, i.false -> s2, s1 -> r, s2 -> r',
  ])('is not reported: %s', async (edges) => {
    expect((await check(edges)).warnings.filter((warning) => warning.includes(second))).toEqual([]);
  });
});
