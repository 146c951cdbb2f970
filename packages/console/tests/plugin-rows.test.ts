import { expect, test } from '@jest/globals';
import { toPluginRows } from '../src/views/plugins/plugin-rows.ts';

const plugin = (id: string, changes: { loaded?: boolean; error?: string } = {}) => ({
  id,
  name: id,
  description: '',
  type: 'PROVIDER' as const,
  category: '',
  loaded: true,
  version: '1.0.0',
  api: 'unified' as const,
  nodeTypes: [],
  provider: id,
  ...changes,
});

const instant = '2026-01-01T00:00:00.000Z';
const health = (status: 'healthy' | 'warning' | 'unhealthy' | 'disabled', message = 'as reported') => ({
  status,
  message,
  durationMs: 1,
  checkedAt: instant,
});
const report = (plugins: Record<string, ReturnType<typeof health>>) => ({
  status: 'degraded' as const,
  plugins,
  summary: { total: 0, healthy: 0, warning: 0, unhealthy: 0, disabled: 0 },
  generatedAt: instant,
});
const disabled = (id: string, message: string | null) => ({
  id,
  message,
  disabledAt: instant,
  disabledBy: null,
});

const statusesOf = (rows: ReturnType<typeof toPluginRows>) =>
  rows.map(({ id, status, message }) => [id, status, message]);

test('plugins that need attention are first, then they are by id', () => {
  const rows = toPluginRows(
    ['b', 'a', 'warned', 'broken', 'off'].map((id) => plugin(id)),
    report({
      a: health('healthy'),
      b: health('healthy'),
      warned: health('warning'),
      broken: health('unhealthy'),
      off: health('disabled'),
    }),
    [],
  );
  expect(rows.map(({ id }) => id)).toEqual(['broken', 'warned', 'off', 'a', 'b']);
});

test('one that is disabled on the stage is disabled, for the reason that was given', () => {
  const rows = toPluginRows(
    [plugin('a'), plugin('b')],
    report({ a: health('healthy'), b: health('healthy') }),
    [disabled('a', 'The token leaked'), disabled('b', null)],
  );
  expect(statusesOf(rows)).toEqual([
    ['a', 'disabled', 'The token leaked'],
    ['b', 'disabled', 'as reported'],
  ]);
});

test('without a report, the list says what it knows', () => {
  const rows = toPluginRows(
    [plugin('a'), plugin('b', { loaded: false }), plugin('c', { loaded: false, error: 'no such module' })],
    null,
    [],
  );
  expect(statusesOf(rows)).toEqual([
    ['c', 'unhealthy', 'no such module'],
    ['b', 'disabled', null],
    ['a', 'unknown', null],
  ]);
});
