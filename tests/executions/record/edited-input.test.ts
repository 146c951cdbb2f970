import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { completeInput, describeEdit } from '../../../lib/executions/record/edited-input.ts';

const ORIGINAL = {
  body: { total: 1, token: 'abc', list: [{ url: 'https://example.com/?token=abc' }] },
  headers: { 'x-api-key': 'key' },
};

describe('an edited input', () => {
  test('replaces the given fields, and keeps the others', () => {
    expect(completeInput(ORIGINAL, { body: { total: 2 } })).toEqual({
      body: { total: 2 },
      headers: ORIGINAL.headers,
    });
  });

  test('keeps the original where it shows what records show of a secret', () => {
    const shown = {
      body: { total: 2, token: '[redacted]', list: [{ url: 'https://example.com/?token=[redacted]' }] },
    };
    expect(completeInput(ORIGINAL, shown)).toEqual({ ...ORIGINAL, body: { ...ORIGINAL.body, total: 2 } });
  });

  test.each<[JsonObject, string]>([
    [{ body: { other: '[redacted]' } }, '/input/body/other contains "[redacted]"'],
    [{ body: { token: 'Bearer [redacted]' } }, '/input/body/token contains "[redacted]"'],
    [{ body: { 'a/b~': ['[redacted]'] } }, '/input/body/a~1b~0/0 contains "[redacted]"'],
    [{ body: { $bytes: 9_000, $start: '{' } }, '/input/body is only the start of a value'],
    [{ [`${'x'.repeat(300)}`]: '[redacted]' }, `/input/${'x'.repeat(193)} contains`],
  ])('refuses %j', (edited, reason) => {
    const refused = expect.objectContaining({
      code: 'BODY_INVALID',
      message: expect.stringContaining(reason),
    });
    expect(() => completeInput(ORIGINAL, edited)).toThrow(refused as never);
  });
});

describe('the description of an edit', () => {
  test('has the changes by place, without secrets by name, by form, or from headers', () => {
    const from = {
      body: { total: 1, token: 'abc', gone: true },
      headers: { 'x-api-key': 'a-long-secret' },
      password: ['a'],
    };
    const to = {
      body: { total: 2, token: 'def', note: 'knows a-long-secret', call: 'Bearer abcdefghijklmnop' },
      headers: { 'x-api-key': 'another-secret' },
      password: ['b'],
    };
    expect(describeEdit(from, to, 'arn:aws:iam::1:user/ada')).toEqual({
      by: 'arn:aws:iam::1:user/ada',
      changes: [
        { path: '/body/total', from: 1, to: 2 },
        { path: '/body/token', from: '[redacted]', to: '[redacted]' },
        { path: '/body/gone', from: true },
        { path: '/body/note', to: 'knows [redacted]' },
        { path: '/body/call', to: 'Bearer [redacted]' },
        { path: '/headers/x-api-key', from: '[redacted]', to: '[redacted]' },
        { path: '/password', from: '[redacted]', to: '[redacted]' },
      ],
    });
  });

  test('is bounded, and counts what it leaves out', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`n${at}`, at]));
    expect(describeEdit({}, many, null)).toMatchObject({ changes: { length: 20 }, changesOmitted: 30 });
    const long = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`k${at}${'k'.repeat(190)}`, 'v'.repeat(199)]),
    );
    const { changes, changesOmitted = 0 } = describeEdit(
      {},
      { ...long, ['p'.repeat(300)]: 1, big: 'v'.repeat(5_000) },
      null,
    );
    expect(changes.length + changesOmitted).toBe(32);
    expect(JSON.stringify(changes).length).toBeLessThan(4_100);
    expect(JSON.stringify(describeEdit({}, { big: 'v'.repeat(5_000) }, null))).toContain('"$start"');
  });
});
