import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createListApprovals } from '../../lib/app/approvals.ts';
import { createCallbackUrls } from '../../lib/approvals/callback-urls.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { anExecutionStart } from '../support/a-start.ts';
import { checked } from '../support/checked-answers.ts';
import { inMemoryExecutionStore } from '../support/in-memory-stores.ts';

const sample = JSON.parse(readFileSync(new URL('../../events/adminApprovals.json', import.meta.url), 'utf8'));

const aService = async () => {
  const clock = aManualClock();
  const { logger, entries } = aRecordingLogger();
  const executions = inMemoryExecutionStore(clock.now);
  const urls: string[] = [];
  const open = async (executionId: string, workflowId: string, name: string, question = {}) => {
    const start = anExecutionStart({ executionId, workflowId });
    await executions.start(start);
    const parts = {
      executions,
      clock,
      publicUrl: 'https://hooks.example.com',
      onOpen: (url: string) => urls.push(url),
    };
    await createCallbackUrls(parts, start).open(name, 'c', 600, question);
    clock.advance(1_000);
  };
  await open('e-1', 'approval', 'ask/0/0', { title: 'Title', askedBy: 'Ada' });
  await open('e-2', 'approval', 'each/0/1/ask/2/0');
  await open('e-3', 'other', 'ask/0/0');
  const handler = checked(
    createListApprovals({
      executions,
      callbacks: executions.callbacks,
      holdsUnlisted: async () => false,
      clock,
      logger,
    }),
  );
  const call = (query: string, changes: { path?: string; method?: string } = {}) => {
    const { path = '/api/admin/approvals', method = 'GET' } = changes;
    const http = { ...sample.requestContext.http, method };
    const requestContext = { ...sample.requestContext, http };
    const event = {
      ...sample,
      routeKey: `${method} ${path}`,
      rawQueryString: query,
      rawPath: path,
      requestContext,
    };
    return handler(event as never, {} as never);
  };
  return { call, urls, entries };
};

const ADDRESSES = { method: 'POST', path: '/api/admin/approvals/addresses' };

describe('GET /api/admin/approvals', () => {
  test('lists pending approvals without URLs', async () => {
    const { call, urls } = await aService();
    const result = await call('workflowId=approval&limit=10');
    expect(bodyOf(result)).toEqual({
      count: 2,
      approvals: [
        expect.objectContaining({ executionId: 'e-1', nodeId: 'ask', title: 'Title', askedBy: 'Ada' }),
        {
          executionId: 'e-2',
          workflowId: 'approval',
          nodeId: 'ask',
          title: null,
          askedBy: null,
          since: '2023-11-14T22:13:21.000Z',
          until: '2023-11-14T22:23:21.000Z',
        },
      ],
      nextCursor: null,
      timestamp: '2023-11-14T22:13:23.000Z',
    });
    for (const url of urls) expect(result.body).not.toContain(url.split('/').at(-1));
  });

  test('lists those of one execution', async () => {
    const { call, urls } = await aService();
    const query = 'workflowId=approval&executionId=e-2';
    const addresses = bodyOf(await call(query, ADDRESSES));
    expect(addresses).toMatchObject({ count: 1, approvals: [{ executionId: 'e-2', address: urls[1] }] });
    expect(bodyOf(await call('executionId=none'))).toMatchObject({ count: 0, approvals: [] });
    // The cursor counts those that are left out, too.
    const first = bodyOf(await call('executionId=e-2&limit=1'));
    expect(first).toMatchObject({ count: 0, nextCursor: expect.any(String) });
    const next = await call(`executionId=e-2&limit=1&cursor=${first.nextCursor}`);
    expect(bodyOf(next)).toMatchObject({ approvals: [{ executionId: 'e-2' }] });
  });

  test('lists those of all workflows, up to a limit', async () => {
    const { call } = await aService();
    const first = bodyOf(await call('limit=2'));
    expect(first).toMatchObject({ approvals: [{ executionId: 'e-1' }, { executionId: 'e-2' }] });
    expect(bodyOf(await call(`limit=2&cursor=${first.nextCursor}`))).toMatchObject({
      approvals: [{ executionId: 'e-3' }],
      nextCursor: null,
    });
  });

  test('returns URLs at a path of their own, and logs none', async () => {
    const { call, urls, entries } = await aService();
    const { approvals } = bodyOf(await call('', ADDRESSES));
    expect(approvals.map(({ address }: { address: string }) => address)).toEqual(urls);
    expect(JSON.stringify(entries)).not.toContain('webhook-callback/');
  });

  test.each([
    'limit=0',
    'limit=101',
    'workflowId=a%20b',
    'executionId=a%20b',
    'status=waiting',
    'cursor=abc',
  ])('refuses %s', async (query) => {
    const { call } = await aService();
    expect(await call(query)).toEqual(aProblem(400, 'query-invalid'));
  });

  test('refuses other methods', async () => {
    const { call } = await aService();
    expect(await call('', { method: 'POST' })).toEqual(aProblem(405, 'method-not-allowed'));
  });
});
