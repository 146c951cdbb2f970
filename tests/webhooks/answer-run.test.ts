import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { ExecutionResult } from '../../lib/engine/result.ts';
import { answerAccepted, answerRun } from '../../lib/webhooks/answer-run.ts';

const result = (changes: Partial<ExecutionResult> = {}): ExecutionResult => ({
  status: 'succeeded',
  nodes: [],
  output: { total: 3 },
  response: null,
  failure: null,
  ...changes,
});
const failure = { nodeId: 'shop', name: 'Error', message: 'closed' };
const failed = result({ status: 'failed', failure });
const timedOut = result({ status: 'timedOut', failure });
const answered = (response: JsonObject) => answerRun('e-1', result({ response }), 'responseNode');

describe('the response to an accepted run', () => {
  test('names the execution and the workflow', () => {
    expect(
      answerAccepted({ executionId: 'e-1', workflowId: 'shop', status: 'accepted', isDuplicate: false }),
    ).toEqual({
      status: 202,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"executionId":"e-1","workflowId":"shop","status":"accepted"}',
      executionId: 'e-1',
    });
  });
});

describe('the response of the last node', () => {
  test('is its output, with the id of the execution', () => {
    expect(answerRun('e-1', result(), 'lastNode')).toEqual({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'hookloom-execution-id': 'e-1',
      },
      body: '{"total":3}',
      executionId: 'e-1',
    });
  });

  test('ignores the output `response`', () => {
    expect(answerRun('e-1', result({ response: { status: 418 } }), 'lastNode').status).toBe(200);
  });

  test.each(['lastNode', 'responseNode'] as const)('is an error after a failure, with %s', (mode) => {
    expect(() => answerRun('e-1', failed, mode)).toThrow(
      expect.objectContaining({ code: 'EXECUTION_FAILED', parameters: { executionId: 'e-1' } }),
    );
    expect(() => answerRun('e-1', timedOut, mode)).toThrow(
      expect.objectContaining({ code: 'EXECUTION_TIMED_OUT', parameters: { executionId: 'e-1' } }),
    );
  });
});

describe('the response of a response node', () => {
  test('has its status, headers and body', () => {
    const response = { status: 201, headers: { Location: '/orders/7', 'X-Count': 3 }, body: { ok: true } };
    expect(answered(response)).toEqual({
      status: 201,
      headers: {
        location: '/orders/7',
        'x-count': '3',
        'content-type': 'application/json',
        'hookloom-execution-id': 'e-1',
      },
      body: '{"ok":true}',
      executionId: 'e-1',
    });
  });

  test.each([
    ['a text', 'hi', 'text/plain; charset=utf-8', 'hi'],
    ['a list', [1], 'application/json', '[1]'],
    ['a number', 0, 'application/json', '0'],
    ['false', false, 'application/json', 'false'],
    ['an empty text', '', 'text/plain; charset=utf-8', ''],
  ])('can be %s', (_case, body, contentType, sent) => {
    expect(answered({ body })).toMatchObject({
      status: 200,
      headers: { 'content-type': contentType },
      body: sent,
    });
  });

  test('keeps its own content type', () => {
    const { headers } = answered({ body: 'a;b', headers: { 'Content-Type': 'text/csv' } });
    expect(headers['content-type']).toBe('text/csv');
  });

  test('without a body has no content type', () => {
    expect(answered({ status: 200 })).toEqual({
      status: 200,
      headers: { 'hookloom-execution-id': 'e-1' },
      body: null,
      executionId: 'e-1',
    });
  });

  test.each([204, 205, 304])('has no body with status %d', (status) => {
    expect(answered({ status, body: 'hi' }).body).toBeNull();
  });

  test('stands when the workflow fails or times out afterwards', () => {
    const response = { status: 200, body: 'thanks' };
    expect(answerRun('e-1', { ...failed, response }, 'responseNode').status).toBe(200);
    expect(answerRun('e-1', { ...timedOut, response }, 'responseNode').status).toBe(200);
  });

  test('is an error of the workflow when it was not reached', () => {
    expect(() => answerRun('e-1', result(), 'responseNode')).toThrow(
      expect.objectContaining({ code: 'NO_RESPONSE', parameters: { executionId: 'e-1' } }),
    );
  });

  test('cannot override the id of the execution or the message framing', () => {
    const headers = {
      'Hookloom-Execution-Id': 'forged',
      'Content-Length': '3',
      'transfer-encoding': 'chunked',
      Connection: 'close',
    };
    expect(answered({ headers }).headers).toEqual({ 'hookloom-execution-id': 'e-1' });
  });

  const contained = (contentType: string, headers: JsonObject = {}) => {
    const { headers: all } = answered({ body: '<b>', headers: { 'content-type': contentType, ...headers } });
    return [all['content-disposition'], all['content-security-policy']];
  };

  test.each([
    'text/plain',
    'Text/Plain; charset=utf-8',
    'text/csv;header=present',
    'application/json',
    'application/problem+json; charset="utf-8"',
    'application/pdf',
    'image/png',
    'video/mp4',
  ])('of the type %s is shown inline', (contentType) => {
    expect(contained(contentType)).toEqual([undefined, undefined]);
  });

  // holds: no-script-from-answers
  test.each(['text/html', 'Text/HTML ; charset=utf-8', ' text/html'])(
    'of the type %j is shown in a sandbox',
    (contentType) => {
      expect(contained(contentType)).toEqual([undefined, 'sandbox']);
    },
  );

  // holds: no-script-from-answers
  test.each([
    'text/xsl',
    'text/xml',
    'application/xhtml+xml',
    'image/svg+xml',
    'application/x.y+xml; charset=utf-8',
    'application/xml+json+xml',
    'text/plain, text/html',
    'text/html, text/plain',
    'text/plain; a="b, text/html"',
    'text/plain; charset',
    'text/plain;, text/html',
    'text/plain (text/html',
    'text/html(',
    'text/javascript',
    'application/octet-stream',
    'multipart/x-mixed-replace; boundary=x',
    '*/*',
    'unknown/unknown',
    'text',
    ' ',
    'x text/plain',
    'text/plainx',
  ])('of the type %j is an attachment, in a sandbox', (contentType) => {
    expect(contained(contentType)).toEqual(['attachment', 'sandbox']);
  });

  test.each([
    ['inline', 'attachment'],
    ['INLINE; filename="a.xml"', 'attachment; filename="a.xml"'],
    ['Attachment; filename=a.xml', 'attachment; filename=a.xml'],
    ['filename=a.xml', 'attachment'],
    ['inline, attachment', 'attachment'],
    ['', 'attachment'],
  ])('of any other type is an attachment for the disposition %j too', (disposition, expected) => {
    expect(contained('text/xsl', { 'Content-Disposition': disposition })).toEqual([expected, 'sandbox']);
  });

  test('of a listed type has the disposition that the node gave it', () => {
    expect(contained('text/csv', { 'content-disposition': 'attachment; filename=a.csv' })).toEqual([
      'attachment; filename=a.csv',
      undefined,
    ]);
  });

  test('has the type of its last Content-Type header, in any capitalisation', () => {
    expect(contained('text/plain', { 'Content-Type': 'text/xsl' })).toEqual(['attachment', 'sandbox']);
  });

  test('without a body is not an attachment', () => {
    expect(answered({ status: 204 }).headers).toEqual({ 'hookloom-execution-id': 'e-1' });
  });

  test('keeps its own policy in addition to the sandbox', () => {
    const headers = { 'content-type': 'text/html', 'Content-Security-Policy': "default-src 'none'" };
    expect(answered({ headers }).headers['content-security-policy']).toBe("default-src 'none', sandbox");
    const open = { 'content-type': 'text/xsl', 'content-security-policy': 'sandbox allow-scripts' };
    expect(answered({ headers: open }).headers['content-security-policy']).toBe(
      'sandbox allow-scripts, sandbox',
    );
  });

  test.each<[string, JsonObject]>([
    ['a status that is none', { status: 99 }],
    ['an interim status', { status: 101 }],
    ['a status above all', { status: 600 }],
    ['half a status', { status: 200.5 }],
    ['a status in words', { status: '200' }],
    ['no status', { status: null }],
    ['headers that are a list', { headers: [] }],
    ['headers that are null', { headers: null }],
    ['a header name with a space', { headers: { 'a b': 'x' } }],
    ['an empty header name', { headers: { '': 'x' } }],
    ['a header value with a line break', { headers: { a: 'x\r\nset-cookie: y' } }],
    ['a header value beyond ASCII', { headers: { a: 'ä' } }],
    ['a header value that is a list', { headers: { a: ['x'] } }],
    ['a header value that is null', { headers: { a: null } }],
  ])('with %s is refused', (_case, response) => {
    expect(() => answered(response)).toThrow(
      expect.objectContaining({ code: 'RESPONSE_INVALID', status: 500 }),
    );
  });

  test('accepts __proto__ as a header name', () => {
    const headers = JSON.parse('{"__proto__": "x"}');
    expect(Object.entries(answered({ headers }).headers)).toContainEqual(['__proto__', 'x']);
  });
});
