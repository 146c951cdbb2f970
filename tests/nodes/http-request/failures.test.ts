import type { JsonObject, NodeSettings, OutboundResponse } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { httpRequest } from '../../../nodes/http-request/http-request.plugin.ts';
import { aContextAnswering, runNode } from '../../support/a-node-context.ts';
import { runGraph } from '../../support/a-run.ts';

const url = 'https://api.example.com/orders';

/** The error of a node whose request is answered like this. */
const errorOf = async (answer: Partial<OutboundResponse>, parameters: JsonObject = {}) => {
  const { context } = aContextAnswering(answer);
  return runNode(httpRequest, 'httpRequest', { url, ...parameters }, {}, context).then(
    () => null,
    (error: unknown) => error,
  );
};

describe('a failure of httpRequest', () => {
  test('has status, body and headers', async () => {
    const headers = { 'content-type': 'application/problem+json', 'x-request-id': 'r-1' };
    expect(await errorOf({ status: 422, headers, body: Buffer.from('{"why":"stock"}') })).toMatchObject({
      name: 'HttpStatusError',
      message: 'api.example.com answered 422',
      details: { status: 422, headers, body: { why: 'stock' } },
    });
  });

  test.each([
    ['a page of HTML', 'text/html', Buffer.from('<p>ü'), '<p>ü'],
    ['what says that it is JSON and is not', 'application/json', Buffer.from('{"a'), '{"a'],
    ['no text', 'image/png', Buffer.from([0xff, 0]), { base64: '/wA=' }],
    ['nothing', 'application/json', Buffer.alloc(0), ''],
  ])('has a body of %s', async (_case, type, body, shown) => {
    const error = await errorOf({ status: 500, headers: { 'content-type': type }, body });
    expect(error).toMatchObject({ details: { body: shown } });
    expect(error).not.toHaveProperty('details.bodyTruncated');
  });

  test.each([
    ['text', Buffer.from('x'.repeat(10_001)), 'x'.repeat(10_000)],
    ['text, without half a character', Buffer.from(`${'x'.repeat(9_999)}ü`), 'x'.repeat(9_999)],
    ['JSON', Buffer.from(`"${'x'.repeat(10_000)}"`), `"${'x'.repeat(9_999)}`],
    ['bytes', Buffer.alloc(10_001, 0xff), { base64: Buffer.alloc(10_000, 0xff).toString('base64') }],
  ])('has the first 10 kB of larger %s', async (_case, body, shown) => {
    expect(await errorOf({ status: 500, body })).toMatchObject({
      details: { body: shown, bodyTruncated: true },
    });
  });

  test.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [409, false],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
    [599, true],
    [600, false],
  ])('%d is retryable: %p', async (status, isRetryable) => {
    expect(await errorOf({ status })).toMatchObject({ isRetryable });
  });

  test('is retryable for the statuses in retryStatus', async () => {
    const parameters = { successStatus: [200], retryStatus: [202, '404-405'] };
    for (const status of [202, 404, 405])
      expect(await errorOf({ status }, parameters)).toMatchObject({ isRetryable: true });
    for (const status of [201, 500])
      expect(await errorOf({ status }, parameters)).toMatchObject({ isRetryable: false });
  });

  test('does not occur for a status in successStatus', async () => {
    const parameters = { successStatus: ['200-299', 404] };
    for (const status of [200, 299, 404]) expect(await errorOf({ status }, parameters)).toBe(null);
    for (const status of [300, 403, 500])
      expect(await errorOf({ status }, parameters)).toMatchObject({ details: { status } });
  });

  test.each(['successStatus', 'retryStatus'])('%s names the invalid item', async (name) => {
    expect(await errorOf({}, { [name]: [200, '2xx'] })).toEqual(
      new TypeError(
        `Parameter "${name}/1" must be a status such as 404 or a range such as "200-299", got string`,
      ),
    );
  });
});

describe('the response of httpRequest', () => {
  const outputOf = async (responseType: string, type: string, body: Buffer) => {
    const { context } = aContextAnswering({ headers: { 'content-type': type }, body });
    return runNode(httpRequest, 'httpRequest', { url, responseType }, {}, context);
  };

  test.each([
    ['json', 'text/plain', Buffer.from('{"a":1}'), { a: 1 }],
    ['json', 'text/plain', Buffer.alloc(0), null],
    ['text', 'application/json', Buffer.from('{"a":1}'), '{"a":1}'],
    ['text', 'text/plain; charset=ISO-8859-1', Buffer.from([0xfc]), 'ü'],
    ['text', 'text/plain; charset="utf-8"', Buffer.from('ü'), 'ü'],
    ['text', 'text/plain; charset=odd', Buffer.from('ü'), 'ü'],
    ['text', 'text/plain', Buffer.from([0xff]), '\ufffd'],
  ])('as %s, of %s', async (responseType, type, sent, body) => {
    expect(await outputOf(responseType, type, sent)).toMatchObject({ body });
  });

  test.each([Buffer.from('<p>'), Buffer.from([0xff])])('as json fails when it is not JSON', async (body) => {
    await expect(outputOf('json', 'text/html', body)).rejects.toThrow(/^the answer is not JSON$/);
  });
});

describe('the attempts of httpRequest', () => {
  /** Runs the node in virtual time; its requests are answered with these, and then with 200. */
  const runAnswering = (
    answers: readonly (readonly [status: number, retryAfter: string])[],
    settings: NodeSettings,
  ) => {
    let requests = 0;
    const request = async (): Promise<OutboundResponse> => {
      const [status, retryAfter] = answers[requests++] ?? [200, ''];
      const headers = { 'content-type': 'application/json', 'retry-after': retryAfter };
      return { status, headers, body: Buffer.from('{"a":1}'), stream: null, url };
    };
    return runGraph({
      nodes: {
        call: {
          pure: false,
          parameters: { url },
          settings,
          does: (node, input, context) =>
            httpRequest.execute(node, input, {
              ...context,
              services: { ...context.services, http: { request } },
            }),
        },
        rescue: {},
      },
      edges: ['start -> call', ...(settings.onError === 'route' ? ['call.error -> rescue'] : [])],
    });
  };

  test('end with a status that another attempt would not change; the output "error" has its response', async () => {
    const settings = { onError: 'route', retry: { maxAttempts: 5 } } as const;
    const { output, nodes } = await runAnswering([[404, '']], settings);
    expect(nodes[1]).toMatchObject({ attempts: 1 });
    expect(output).toEqual({
      error: {
        nodeId: 'call',
        name: 'HttpStatusError',
        message: 'api.example.com answered 404',
        details: {
          status: 404,
          body: { a: 1 },
          headers: { 'content-type': 'application/json', 'retry-after': '' },
        },
      },
    });
  });

  test.each([
    ['seconds', 429, '7', {}, 7_000],
    ['a date, from the time of the answer', 503, 'Tue, 14 Nov 2023 22:13:50 GMT', {}, 30_000],
    ['no longer than maxDelaySeconds', 429, '3600', { maxDelaySeconds: 10 }, 10_000],
    ['no shorter than intervalSeconds', 429, '1', { intervalSeconds: 5 }, 5_000],
    ['what it cannot read: as the policy says', 429, 'soon', {}, 1_000],
    ['another status: as the policy says', 500, '7', {}, 1_000],
  ])('wait for Retry-After: %s', async (_case, status, retryAfter, retry, elapsedMs) => {
    const settings = { retry: { maxAttempts: 2, ...retry } };
    expect(await runAnswering([[status, retryAfter]], settings)).toMatchObject({
      status: 'succeeded',
      elapsedMs,
    });
  });
});
