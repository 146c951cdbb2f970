import { describe, expect, test } from '@jest/globals';
import { toResult } from '../../lib/http/create-handler.ts';
import { answerJson } from '../../lib/shared/answer.ts';

describe('an answer for the gateway', () => {
  test('is JSON that nobody keeps', () => {
    expect(answerJson(200, { a: [1, null] })).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"a":[1,null]}',
    });
  });

  test('forbids to guess its type, even when a workflow says otherwise', () => {
    const answer = { status: 200, headers: { 'x-content-type-options': 'guess' }, body: 'hi' };
    expect(toResult(answer, 'GET').headers).toEqual({ 'x-content-type-options': 'nosniff' });
  });

  test('keeps an empty body apart from none', () => {
    expect(toResult({ status: 200, headers: {}, body: '' }, 'GET')).toHaveProperty('body', '');
    expect(toResult({ status: 200, headers: {}, body: null }, 'GET')).not.toHaveProperty('body');
  });

  test('has the headers of GET for HEAD, and no body', () => {
    const { body, ...rest } = toResult(answerJson(200, {}), 'GET');
    expect(body).toBe('{}');
    expect(toResult(answerJson(200, {}), 'HEAD')).toEqual(rest);
  });
});
