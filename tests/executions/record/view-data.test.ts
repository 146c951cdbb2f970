import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dropData } from '../../../lib/executions/record/pack-result.ts';
import { viewNodes, viewValue } from '../../../lib/executions/record/view-data.ts';

describe('the recorded data', () => {
  test.each([
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'apiKey',
    'api_key',
    'APIKEY',
    'token',
    'access_token',
    'refreshToken',
    'clientSecret',
    'client_secret',
    'password',
    'db.password',
    'passwd',
    'x-hub-signature-256',
    'privateKey',
    'PRIVATE_KEY',
    'accessKey',
    'accesstoken',
    'ACCESS_TOKEN',
    'clientsecret',
    'jwt',
    'sessionid',
    'sessionId',
    'x-functions-key',
    'ocp-apim-subscription-key',
    'OcpApimSubscriptionKey',
    'proxy-authorization',
    'connect.session_id',
  ])('does not include %s', (name) => {
    expect(viewValue({ [name]: 'canary', deep: [{ [name]: { inner: 'canary' } }] })).toEqual({
      [name]: '[redacted]',
      deep: [{ [name]: '[redacted]' }],
    });
  });

  test.each([
    'secretary',
    'tokens_used',
    'key',
    'keyboard',
    'monkey',
    'passenger',
    'cookies_accepted',
    'author',
  ])('includes %s', (name) => {
    expect(viewValue({ [name]: 'plain' })).toEqual({ [name]: 'plain' });
  });

  test.each([
    [
      'see https://x.example/api/webhook-callback/e-1.abc.def.ghi now',
      'see https://x.example/api/webhook-callback/[redacted] now',
    ],
    ['Bearer abcdefghijkl', 'Bearer [redacted]'],
    ['a Basic QWxhZGRpbjpvcGVu b', 'a Basic [redacted] b'],
    ['https://user:pa55@host/x', 'https://user:[redacted]@host/x'],
    ['https://host:8080/a@b', 'https://host:8080/a@b'],
    ['the bearer of news', 'the bearer of news'],
    ['GET /a?token=abc&page=2', 'GET /a?token=[redacted]&page=2'],
    ['url=https://h/?x=1&access_token=a%20b#top', 'url=https://h/?x=1&access_token=[redacted]'],
    ['{"token":"a\\"b","user":"ada"}', '{"token":"[redacted]","user":"ada"}'],
    ['{ "client_secret" : 12345, "n": 1 }', '{ "client_secret" : [redacted], "n": 1 }'],
    ['{"inner":"{\\"jwt\\":\\"abc\\",\\"n\\":1}"}', '{"inner":"{\\"jwt\\":\\"[redacted]\\",\\"n\\":1}"}'],
    [
      'payload=%7B%22token%22%3A%22abc%22%2C%22n%22%3A1%7D',
      'payload=%7B%22token%22%3A%22[redacted]%22%2C%22n%22%3A1%7D',
    ],
    ['tokens=3 and a=b', 'tokens=3 and a=b'],
  ])('%j is shown as %j', (text, shown) => {
    expect(viewValue({ text })).toEqual({ text: shown });
  });

  test('of a large value are its size and its start, without secrets', () => {
    const shown = viewValue({ password: 'canary', text: 'x'.repeat(5_000) }) as {
      $bytes: number;
      $start: string;
    };
    expect(shown.$bytes).toBeGreaterThan(5_000);
    expect(shown.$start).toHaveLength(500);
    expect(shown.$start).not.toContain('canary');
  });

  test('contain no part of a secret that is cut at the end', () => {
    // Secrets are shown shorter than they are, so that the end of the examined text is within the view.
    const filler = `?token=${'f'.repeat(1_970)} `;
    for (const secret of [
      'Bearer canary-canary',
      'https://user:canary-canary@host',
      '"jwt":"canary-canary"',
    ]) {
      for (let shift = 0; shift < 80; shift++) {
        const text = `${filler}${'x'.repeat(shift)} ${secret} ${'y'.repeat(5_000)}`;
        expect(JSON.stringify(viewValue({ text }))).not.toContain('can');
      }
    }
  });

  // Each of these took hours, when a pattern that backtracks saw the whole of them.
  test.each([
    ['dots', 'a.'],
    ['host names', 'api.example.com.'],
    ['host names with dashes', 'api-example-com-'],
    ['blanks', ' '],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['backslashes and quotes', '\\"'],
    ['Bearer', 'Bearer '],
    ['slashes', '://'],
    ['URLs with passwords', 'https://user:pa55@host/ '],
    ['pairs', 'token='],
    ['JSON pairs', '"token":"'],
    ['percent signs', '%22'],
  ])('of 3 MB of %s are their start', (_name, piece) => {
    const text = piece.repeat(Math.ceil(3_000_000 / piece.length));
    for (const value of [{ text }, [text], { [text]: 1 }, { deep: [[[text]]] }]) {
      const shown = viewValue(value) as { $bytes: number; $start: string };
      expect(shown.$bytes).toBeGreaterThanOrEqual(3_000_000);
      expect(shown.$start.length).toBeLessThanOrEqual(500);
    }
  });

  // holds: redacted-by-name-and-form
  test('never contain the value of a secret name, at any depth', () => {
    const secret = fc.record({ password: fc.constant('canary-1'), other: fc.string() });
    const tree = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        secret,
        fc.string(),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(tree, (value) => {
        expect(JSON.stringify(viewValue(value as JsonValue))).not.toContain('canary');
      }),
    );
  });

  test('are empty when data is not kept', () => {
    const node = {
      nodeId: 'a',
      type: 'set',
      status: 'succeeded',
      iteration: 0,
      attempts: 1,
      startedAt: 1,
      durationMs: 1,
      input: { a: 1 },
      outputs: { main: {} },
    } as const;
    const { input: _input, outputs: _outputs, ...rest } = node;
    expect(dropData([node])).toEqual([rest]);
    expect(viewNodes([node])).toEqual([node]);
  });
});

test('include the details of a failure', () => {
  const details = { status: 503, headers: { 'set-cookie': 'canary' }, body: 'x'.repeat(100) };
  const failure = { nodeId: 'a', name: 'Error', message: 'no' };
  const node = {
    nodeId: 'a',
    type: 'call',
    status: 'failed',
    iteration: 0,
    attempts: 1,
    startedAt: 1,
    durationMs: 1,
    failure: { ...failure, details },
  } as const;
  expect(dropData([node])).toEqual([{ ...node, failure }]);
  expect(viewNodes([node])).toEqual([
    { ...node, failure: { ...failure, details: { ...details, headers: { 'set-cookie': '[redacted]' } } } },
  ]);
});

test('are read once, however often the record is written', () => {
  const outputs = { main: { text: 'x'.repeat(10_000) } };
  expect(viewValue(outputs)).toBe(viewValue(outputs));
});

test('that are nested too deeply to measure have only their start', () => {
  const value = JSON.parse(`{"text":"${'x'.repeat(3_000)}","deep":${'['.repeat(2_000)}${']'.repeat(2_000)}}`);
  expect(viewValue(value)).toEqual({ $start: expect.stringContaining('"text":"xxx') });
});
