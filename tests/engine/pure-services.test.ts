import { expect, test } from '@jest/globals';
import { createPureServices } from '../../lib/engine/pure-services.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const aPureNode = (key: string) => {
  const { clock } = aVirtualClock();
  return createPureServices({ clock }, '2026-11-20T12:00:00.000Z')(key);
};
const idsOf = (key: string) => {
  const { ids } = aPureNode(key);
  return Array.from({ length: 50 }, () => ids.next());
};

test('the ids of a pure node are 128 bits, and the same on every replay', () => {
  const ids = idsOf('e-1/a/0');
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([...ids, ...idsOf('e-1/a/1'), ...idsOf('e-2/a/0')]).size).toBe(150);
  expect(idsOf('e-1/a/0')).toEqual(ids);
});

test('the time of a pure node is the start of the execution', () => {
  expect(aPureNode('e-1/a/0').clock.now()).toBe(Date.parse('2026-11-20T12:00:00.000Z'));
});

test('a pure node reaches nothing outside', async () => {
  const { http, aws, tcp, files } = aPureNode('e-1/a/0');
  await expect(http.request({ url: 'https://a.example/' })).rejects.toThrow('a pure node cannot call out');
  await expect(aws.send({} as never)).rejects.toThrow('this node cannot call AWS');
  await expect(tcp.connect({} as never)).rejects.toThrow('this node cannot open connections');
  await expect(files.open({} as never)).rejects.toThrow('this node cannot use files');
});
