import { expect, test } from '@jest/globals';
import type { DoctorApi } from '../doctor/ask-aws.ts';
import { checkStoredData } from '../doctor/check-stores.ts';

const answering = (silences: object) => {
  const answer = { problem: null, accepted: { count: 0, oldest: null }, ...silences };
  return { call: async () => answer } as unknown as DoctorApi;
};

test('what is silent is a warning; without it, or of an earlier release, there is no line', async () => {
  const warned = async (silences: object) =>
    (await checkStoredData(answering(silences), 0)).filter(({ status }) => status !== 'ok');
  expect(await warned({})).toEqual([]);
  expect(await warned({ silences: [] })).toEqual([]);
  expect(await warned({ silences: [{ workflowId: 'orders', message: 'It is.' }] })).toEqual([
    { check: 'silent workflows', status: 'warning', message: 'It is.', remedy: expect.any(String) },
  ]);
});
