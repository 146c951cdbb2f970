import { expect, test } from '@jest/globals';
import { type Found, findViews, isExecutionId, rankFound } from '../src/shell/search-results.ts';

const found = (group: string, label: string): Found => ({
  group,
  label,
  detail: '',
  path: `/${group}/${label}`,
});
const labelsOf = (results: readonly Found[]) => results.map(({ group, label }) => `${group}: ${label}`);

test('within a group, the exact name is first, then names that begin with the text', () => {
  const results = ['import-orders', 'order-failures', 'order', 'reorder'].map((id) => found('Workflows', id));
  expect(labelsOf(rankFound(' Order ', results))).toEqual([
    'Workflows: order',
    'Workflows: order-failures',
    'Workflows: import-orders',
    'Workflows: reorder',
  ]);
});

test('groups are together and in order, but the one with the exact name is first', () => {
  const results = [found('Workflows', 'code-1'), found('Node types', 'code'), found('Workflows', 'code-2')];
  expect(labelsOf(rankFound('code', results))).toEqual([
    'Node types: code',
    'Workflows: code-1',
    'Workflows: code-2',
  ]);
  expect(labelsOf(rankFound('cod', results))).toEqual([
    'Workflows: code-1',
    'Workflows: code-2',
    'Node types: code',
  ]);
});

test('views are found by a part of their name; all of them without a text', () => {
  const sections = [
    { path: '/', text: 'Overview' },
    { path: '/node-types', text: 'Node types' },
  ];
  expect(labelsOf(findViews(' TYPES', sections))).toEqual(['Views: Node types']);
  expect(findViews('', sections)).toHaveLength(2);
});

test.each([
  [true, 'txkgoH6R6nuRbh31ktOidrknrIyJ80qxcfjZ6sa8c2g'],
  [false, 'txkgoH6R6nuRbh31ktOidrknrIyJ80qxcfjZ6sa8c2'],
  [false, 'txkgoH6R6nuRbh31ktOidrknrIyJ80qxcfjZ6sa8c2g/'],
  [false, ''],
])('%s: %j is the id of an execution', (expected, text) => {
  expect(isExecutionId(text)).toBe(expected);
});
