import { describe, expect, test } from '@jest/globals';
import { toResult } from '../../lib/http/create-handler.ts';
import { answerJson } from '../../lib/shared/answer.ts';

describe('a response for the gateway', () => {
  test('is JSON that is never cached', () => {
    expect(answerJson(200, { a: [1, null] })).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"a":[1,null]}',
    });
  });

  test('forbids type sniffing, even when a workflow says otherwise', () => {
    const answer = { status: 200, headers: { 'x-content-type-options': 'guess' }, body: 'hi' };
    expect(toResult(answer, 'GET').headers).toEqual({ 'x-content-type-options': 'nosniff' });
  });

  test('distinguishes an empty body from a missing one', () => {
    expect(toResult({ status: 200, headers: {}, body: '' }, 'GET')).toHaveProperty('body', '');
    expect(toResult({ status: 200, headers: {}, body: null }, 'GET')).not.toHaveProperty('body');
  });

  test('has the headers of GET for HEAD, and no body', () => {
    const { body, ...rest } = toResult(answerJson(200, {}), 'GET');
    expect(body).toBe('{}');
    expect(toResult(answerJson(200, {}), 'HEAD')).toEqual(rest);
  });
});
