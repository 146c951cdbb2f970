import { beforeAll, describe, expect, test } from '@jest/globals';
import { findNearest, findNearName } from '../../../../../lib/shared/near-name.ts';
import { loadNatives, type Natives } from '../../../../../lib/workflows/expressions/language.chunk.ts';
import { findReferenceProblems } from '../../../validation/references/check-references.ts';
import type { Names } from '../../../validation/references/names.ts';

let natives: Natives;

beforeAll(async () => {
  natives = await loadNatives();
});

const ids = ['pick', 'my-node', 'a-b-c', '2fa', 'and'];

const problemsOf = (text: string, changes: Partial<Names> = {}) =>
  findReferenceProblems(text, {
    nodeIds: new Set(ids),
    idOfName: new Map([['Get order', 'pick']]),
    visibleIds: null,
    ownId: null,
    variables: null,
    fields: null,
    triggerFields: null,
    isFunction: (name) => natives.has(name),
    natives,
    findNearest,
    findNearName,
    ...changes,
  }).map(({ message }) => message);

describe('an expression may name', () => {
  test.each([
    'body.total',
    '$',
    '$$.body',
    '$nodes',
    '$nodes.pick.total',
    '$nodes.`my-node`.total - 1',
    '$nodes.pick.total-1',
    '$nodes.`2fa`.code',
    '$nodes.`and`.x',
    '$nodes.*.total',
    '$keys($nodes)',
    '$lookup($nodes, "pick")',
    '$lookup($nodes, $trigger.body.id)',
    '$execution.trigger.nodeId',
    '$trigger.anything',
    '($x := 1; $y := $x + 1; $x & "text" & $y)',
    '$map(items, function($v, $i) { $v.a & $i })',
    '($twice := function($n) { $n * 2 }; $twice(2))',
    '$filter(items, λ($v) { $v.a > 1 })',
    'items@$i.other@$o[$i.id = $o.id].{ "a": $i.a, "b": $o.b }',
    'items#$at[$at < 3]',
    'items[a > 1]#$at.{ "n": $at }',
    'items.%.name',
    'items ~> $map($uppercase) ~> $join(", ")',
    '$map(items, $string)',
    '$sort(items, function($l, $r) { $l.a > $r.a })',
    '($o := { "f": function($x) { $x } }; $o.f(1))',
    'body ~> | items | { "a": $uppercase(a) } |',
    'items{ name: $sum(price) }',
    '$now() & $millis() & $random() & $string($shuffle(items))',
    'a ?? b',
    '1 + 2 & "x"',
    'items[0]',
    'items[type = "x"]',
    'items[$contains(name, "x")]',
    '/^a$b/',
    '"$json.x and $nodes.zz.x"',
  ])('%s', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test.each([
    '($total := body.total; { "t": $total, "list": body.items[price > 1].name })',
    '$map(body.items, function($v) { $v.a ? a : b })',
    '[body.items][price > 10]',
    '(body.items)[price > 10].name',
    '$reverse(body.items)[price > 10]',
    'body.items^(price).name',
    'body.items{ name: price }',
    'body ~> | items | { "a": a } |',
    'headers.`x-request-id`',
    '$.anything',
  ])('%s, where the fields of the input are known', (text) => {
    expect(problemsOf(text, { fields: ['body', 'headers'] })).toEqual([]);
  });
});

describe('an unknown name is reported', () => {
  test.each<[string, readonly string[]]>([
    ['$nodes.a-b-c.total', ['$nodes.a-b-c is read as a subtraction; did you mean "$nodes.`a-b-c`.total"?']],
    ['$nodes.my-node-1', ['$nodes.my-node is read as a subtraction; did you mean "$nodes.`my-node`"?']],
    ['$nodes.my-nod.x', ['there is no node "my-nod"; did you mean "$nodes.`my-node`.x"?']],
    ['$nodes.`Get order`.id', ['there is no node "Get order"; did you mean "$nodes.pick.id"?']],
    ['$nodes["pick"].id', ['["pick"] does not select a field; did you mean ".pick"?']],
    [
      '$node["Get order"].json.id',
      ['there is no $node: the output of another node is $nodes.<id>; did you mean "$nodes.pick.id"?'],
    ],
    ['$items("Get order")', ['there is no $items: in the body of a forEach, each is $item']],
    ['$pick.total', ['there is no $pick; did you mean "$nodes.pick.total"?']],
    ['$body.total', ['there is no $body: input fields are plain names; did you mean "body.total"?']],
    ['$json["a b"].c', ['there is no $json: input fields are plain names; did you mean "`a b`.c"?']],
    [
      '$input.all()',
      ['there is no $input: input fields are plain names, and the whole of it is $; did you mean "$"?'],
    ],
    ['($total := 1; $totl)', ['there is no $totl; did you mean "$total"?']],
    [
      '($double := function($x) { $x }; $doubel(1))',
      ['there is no function $doubel; did you mean "$double"?'],
    ],
    ['$map(items, $uppercse)', ['there is no $uppercse; did you mean "$uppercase"?']],
    ['$lenght(a)', ['there is no function $lenght; did you mean "$length"?']],
    ['$frobnicate(a)', ['there is no function $frobnicate']],
    [
      '$execution.executionID',
      [
        '$execution has no "executionID", but "id", "workflowId", "workflowVersion", "startedAt", "stage", "trigger"',
      ],
    ],
    [
      '$whatever',
      [
        'there is no $whatever: an expression can read the fields of its input, $nodes, $trigger, $execution, $vars, and the variables it binds',
      ],
    ],
    ['items.map(a)', ['"map()" can\'t be called: functions begin with "$"; did you mean "$map"?']],
    ['"a" + b + "c"', ['adds strings with "+", which is for numbers: join them with "&"']],
    [
      '$x + $y',
      expect.arrayContaining([expect.stringContaining('$x'), expect.stringContaining('$y')]) as never,
    ],
  ])('%s', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test.each([
    ['total', 'body.total'],
    ['name.first', 'body.name.first'],
    ['Body.total', 'body.total'],
    ['header.`x-id`', 'headers.`x-id`'],
    ['query.page', 'queryParams.page'],
    ['params.page', 'queryParams.page'],
    ['payload.total', 'body.total'],
    ['msg.payload.total', 'body.total'],
    ['request.query.page', 'queryParams.page'],
    ['event.body.total', 'body.total'],
    ['nodes.pick.total', '$nodes.pick.total'],
    ['pick.total', '$nodes.pick.total'],
    ['trigger.body.total', '$trigger.body.total'],
    ['{ "list": [$uppercase(total)] }', 'body.total'],
    ['(total).x', 'body.total'],
  ])('%s, where a request has no such field, with the hint %s', (text, meant) => {
    expect(problemsOf(text, { fields: ['body', 'headers', 'queryParams'] })).toEqual([
      expect.stringMatching(/^the request has no "\w+", but "body", "headers", "queryParams"; did you mean /),
    ]);
    expect(problemsOf(text, { fields: ['body', 'headers', 'queryParams'] })[0]).toContain(`mean "${meant}"?`);
  });

  test('a field of $trigger that requests do not have', () => {
    expect(problemsOf('$trigger.total', { triggerFields: ['body'] })).toEqual([
      'the request has no "total", but "body"; did you mean "$trigger.body.total"?',
    ]);
  });

  test('once for a name that is wrong in many places, and for a limited number of names', () => {
    expect(problemsOf('$a1x + $a1x + $a1x')).toHaveLength(1);
    expect(problemsOf(Array.from({ length: 50 }, (_, at) => `$q${at}`).join(' & '))).toHaveLength(5);
  });

  test('not for an id whose node may be unreadable', () => {
    expect(problemsOf('$nodes.other.x', { nodeIds: new Set(['pick', '\u0000']) })).toEqual([]);
  });
});

test('the evaluator itself says which functions exist', () => {
  expect(['uppercase', 'now', 'millis', 'uuid', 'map'].map((name) => natives.has(name))).toEqual(
    Array(5).fill(true),
  );
  expect(['', '$', 'upper', '__proto__', 'constructor', 'nodes'].map((name) => natives.has(name))).toEqual(
    Array(6).fill(false),
  );
});
