import { describe, expect, test } from '@jest/globals';
import { createCallbackUrls } from '../../lib/approvals/callback-urls.ts';
import { aCallback } from '../support/a-callback.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';

const MINUTE = 60_000;

describe('a callback URL', () => {
  test('shows a form for GET, and decides nothing', async () => {
    const { call, answers } = await aCallback();
    const page = await call('GET');
    expect(page).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      },
    });
    expect(page.body).toContain('Workflow <b>orders</b>');
    expect(page.body).toMatch(/<form method="post" novalidate>[\s\S]*value="approve"[\s\S]*value="reject"/);
    expect((await call('HEAD')).statusCode).toBe(200);
    expect(answers).toEqual([]);
  });

  // holds: one-answer-per-question
  test('accepts one decision, with its other fields', async () => {
    const { decide, answers } = await aCallback();
    const taken = await decide({ decision: 'approve', by: 'Ada' });
    expect([taken.statusCode, bodyOf(taken)]).toEqual([200, { executionId: 'e-1', decision: 'approve' }]);
    expect(answers).toEqual([
      { decision: 'approve', body: { by: 'Ada' }, decidedAt: '2023-11-14T22:13:20.000Z' },
    ]);
    expect(await decide({ decision: 'reject' })).toEqual(aProblem(410, 'callback-gone'));
    expect(answers).toHaveLength(1);
  });

  test('accepts the form of its page, and responds with a page', async () => {
    const { call, answers } = await aCallback();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8' };
    const taken = await call('POST', { body: 'comment=not+now&decision=reject', headers });
    expect([taken.statusCode, taken.headers?.['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(taken.body).toContain('Rejected');
    expect(answers).toMatchObject([{ decision: 'reject', body: { comment: 'not now' } }]);
  });

  test.each([
    ['nothing', '', 400, 'answer-invalid'],
    ['no map', '[1]', 400, 'answer-invalid'],
    ['another word', '{"decision":"maybe"}', 400, 'answer-invalid'],
    ['what is no JSON', '{', 400, 'body-invalid'],
    ['too much', `{"decision":"approve","x":"${'x'.repeat(100_001)}"}`, 413, 'body-too-large'],
  ])('does not accept %s', async (_case, body, status, problem) => {
    const { call, answers } = await aCallback();
    const result = await call('POST', { body, headers: { 'content-type': 'application/json' } });
    expect(result).toEqual(aProblem(status, problem));
    expect(answers).toEqual([]);
  });

  test('is 410 after it has expired', async () => {
    const { clock, call, decide, answers } = await aCallback();
    clock.advance(10 * MINUTE);
    expect(await call('GET')).toEqual(aProblem(410, 'callback-gone'));
    expect(await decide({ decision: 'approve' })).toEqual(aProblem(410, 'callback-gone'));
    expect(answers).toEqual([]);
  });

  test('leads to the question that was asked again under its name, also after its own timeout', async () => {
    const { clock, executions, call, decide, answers, durableService } = await aCallback();
    clock.advance(11 * MINUTE);
    const later = createCallbackUrls(
      { executions, clock, publicUrl: 'https://example.com' },
      anExecutionStart(),
    );
    await later.open('ask/0/0', 'callback-2', 600, { title: 'Are you there?' });
    durableService.callbackId = 'callback-2';
    const page = await call('GET');
    expect(page.body).toContain('Are you there?');
    expect(page.body).toContain('until <time datetime="2023-11-14T22:34:20.000Z">');
    expect((await decide({ decision: 'approve' })).statusCode).toBe(200);
    expect(answers).toMatchObject([{ decision: 'approve' }]);
    expect(bodyOf(await call('GET')).detail).toContain('already approved');
    clock.advance(10 * MINUTE);
    expect(bodyOf(await call('GET')).detail).toContain('The deadline for an answer was 2023-11-14T22:');
  });

  test('is 410 after the execution has finished', async () => {
    const { executions, decide } = await aCallback();
    await executions.finish('e-1', anExecutionEnd({ status: 'cancelled' }));
    expect(await decide({ decision: 'approve' })).toEqual(aProblem(410, 'callback-gone'));
  });

  // holds: callback-urls-stay-secret
  test('is 404 when it is altered or not signed', async () => {
    const { url, call, answers } = await aCallback();
    const [last = ''] = url.slice(-1);
    const altered = [
      `${url.slice(0, -1)}${last === 'A' ? 'B' : 'A'}`,
      url.replace('e-1.', 'e-2.'),
      `${url}x`,
      'x',
    ];
    for (const at of altered) {
      expect(await call('GET', { at })).toEqual(aProblem(404, 'callback-not-found'));
      expect(await call('POST', { at, body: '{"decision":"approve"}' })).toEqual(
        aProblem(404, 'callback-not-found'),
      );
    }
    expect(answers).toEqual([]);
  });

  test('is 404 when it is signed for a callback that was never opened', async () => {
    const { executions, clock, call } = await aCallback();
    const callbackUrls = createCallbackUrls(
      { executions, clock, publicUrl: 'https://example.com' },
      anExecutionStart(),
    );
    const at = callbackUrls.urlOf('ask/1/0', clock.now() + MINUTE);
    expect(await call('GET', { at })).toEqual(aProblem(404, 'callback-not-found'));
  });

  test('refuses other methods', async () => {
    const { call } = await aCallback();
    const result = await call('DELETE');
    expect(result).toEqual(aProblem(405, 'method-not-allowed'));
    expect(result.headers?.allow).toBe('GET, HEAD, POST');
  });

  test('is 503 while the engine is down, and accepts the same decision later', async () => {
    const { durableService, decide, answers } = await aCallback();
    durableService.isDown = true;
    expect(await decide({ decision: 'approve' })).toEqual(aProblem(503, 'engine-unavailable'));
    durableService.isDown = false;
    expect((await decide({ decision: 'approve' })).statusCode).toBe(200);
    expect(answers).toHaveLength(1);
  });

  // holds: callback-urls-stay-secret
  test('is in no log line', async () => {
    const { url, call, decide, entries } = await aCallback();
    await call('GET');
    await decide({ decision: 'approve' });
    expect(entries.length).toBeGreaterThan(0);
    expect(JSON.stringify(entries)).not.toContain(url.split('/').at(-1));
  });
});

describe('callback URLs', () => {
  test('are not signed without a key', async () => {
    const { executions, clock } = await aCallback();
    const callbackUrls = createCallbackUrls(
      { executions, clock, publicUrl: 'x' },
      anExecutionStart({ callbackKey: null }),
    );
    expect(() => callbackUrls.urlOf('ask/0/0', 1)).toThrow('no key');
  });
});
