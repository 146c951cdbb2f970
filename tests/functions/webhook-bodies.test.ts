import { describe, expect, test } from '@jest/globals';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';

describe('bodies', () => {
  const received = async (changes: Parameters<typeof aWebhookEvent>[0]) => {
    const service = await aWebhookService();
    await service.put();
    const result = await service.call(aWebhookEvent(changes));
    return result.statusCode === 200 ? bodyOf(result).body : result.statusCode;
  };
  const typed = (type: string) => ({ headers: { 'Content-Type': type } });
  const json = typed('application/json');

  test.each<[string, Parameters<typeof aWebhookEvent>[0], unknown]>([
    ['JSON', { ...json, body: '{"a":[1]}' }, { a: [1] }],
    ['JSON that is not an object', { ...json, body: '[1]' }, [1]],
    [
      'JSON in base64',
      { ...json, body: Buffer.from('{"a":1}').toString('base64'), isBase64Encoded: true },
      { a: 1 },
    ],
    ['JSON with a suffix type', { ...typed('application/cloudevents+json'), body: '{"a":1}' }, { a: 1 }],
    ['JSON in capitals', { ...typed('Application/JSON ; charset=UTF-8'), body: '{"a":1}' }, { a: 1 }],
    [
      'JSON that names files',
      { ...json, body: '{"files":{"a":{"filepath":"/etc/passwd"}}}' },
      { files: { a: { filepath: '/etc/passwd' } } },
    ],
    ['JSON that looks like an expression', { ...json, body: '{"a":"{{7*7}}"}' }, { a: '{{7*7}}' }],
    [
      'JSON as deep as allowed',
      { ...json, body: `${'['.repeat(100)}${']'.repeat(100)}` },
      JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`),
    ],
    ['no body', {}, {}],
    ['an empty body of type JSON', { ...json, body: '' }, {}],
    ['an empty body of type text', { ...typed('text/plain'), body: '' }, {}],
    [
      'a form',
      { ...typed('application/x-www-form-urlencoded'), body: 'a=1&a=2&b=x+y&c=%zz' },
      { a: ['1', '2'], b: 'x y', c: '%zz' },
    ],
    ['text', { ...typed('text/plain'), body: '{"a":1}' }, '{"a":1}'],
    ['an odd type', { ...typed('application/json garbage'), body: '{"a":1}' }, '{"a":1}'],
    ['JSON without a type', { body: '{"a":1}' }, { a: 1 }],
    ['text without a type', { body: 'hello' }, 'hello'],
    ['what JSON may not hold, without a type', { body: '{"__proto__":1}' }, '{"__proto__":1}'],
    [
      'bytes',
      { ...typed('image/png'), body: 'iVBORw==', isBase64Encoded: true },
      { base64: 'iVBORw==', contentType: 'image/png' },
    ],
    ['parts', { ...typed('multipart/form-data; boundary=x'), body: '--x--' }, '--x--'],
  ])('%s', async (_case, changes, body) => {
    expect(await received(changes)).toEqual(body);
  });

  test.each<[string, Parameters<typeof aWebhookEvent>[0]]>([
    ['not JSON', { ...json, body: '{"a":' }],
    [
      'not UTF-8',
      { ...json, body: Buffer.from('{"a":"\xe9"}', 'latin1').toString('base64'), isBase64Encoded: true },
    ],
    ['not base64', { ...json, body: '%%%', isBase64Encoded: true }],
    ['a number that overflows', { ...json, body: '{"a":1e400}' }],
    ['too deep', { ...json, body: `${'['.repeat(101)}${']'.repeat(101)}` }],
    ['three million levels', { ...json, body: '['.repeat(3_000_000) }],
    ['the key __proto__', { ...json, body: '{"a":{"__proto__":{"polluted":1}}}' }],
    ['the key constructor.prototype', { ...json, body: '{"constructor":{"prototype":{"polluted":1}}}' }],
  ])('400: %s', async (_case, changes) => {
    expect(await received(changes)).toBe(400);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  const FORM = 'application/x-www-form-urlencoded';
  const ofBytes = (text: string) => ({
    body: Buffer.from(text, 'latin1').toString('base64'),
    isBase64Encoded: true,
  });
  const bytes = (text: string) => ({ base64: Buffer.from(text, 'latin1').toString('base64') });

  test.each<[string, string, string, unknown]>([
    [
      'the charset that is declared',
      `${FORM}; charset=windows-1252`,
      'a=%ED+%80&b%E9=1',
      { a: 'í €', bé: '1' },
    ],
    ['the charset that is declared in quotes', `${FORM}; charset="Shift_JIS"`, 'a=%93%fa', { a: '日' }],
    ['the charset of the form', FORM, 'a=%80&_charset_=windows-1252', { a: '€', _charset_: 'windows-1252' }],
    ['bytes that are not escaped', `${FORM};charset=iso-8859-1`, 'a=\xed', { a: 'í' }],
    ['UTF-8', `${FORM}; charset=UTF-8`, 'a=%C3%AD', { a: 'í' }],
    ['a value that is not UTF-8', FORM, 'a=%ED&b=%C3%AD&c=1+2', { a: bytes('\xed'), b: 'í', c: '1 2' }],
    ['a byte that is not UTF-8', FORM, 'a=\xff', { a: bytes('\xff') }],
    ['a name that is not UTF-8', FORM, '%ED=1', { í: '1' }],
    ['U+FFFD that was sent', FORM, 'a=%EF%BF%BD', { a: '\ufffd' }],
    ['an unknown charset', `${FORM}; charset=klingon`, 'a=%C3%AD&b=%ED', { a: 'í', b: bytes('\xed') }],
    ['a malformed sequence', FORM, 'a=%zz%C3%AD&b=1%&a=%ED', { a: ['%zzí', bytes('\xed')], b: '1%' }],
  ])('a form has %s', async (_case, type, text, body) => {
    const event = { ...typed(type), ...ofBytes(text) };
    expect(await received(event)).toEqual(body);
    const service = await aWebhookService();
    await service.put({ webhook: { body: {} } });
    expect(bodyOf(await service.call(aWebhookEvent(event))).body).toEqual(body);
  });

  test('413 beyond the limit, without parsing', async () => {
    const service = await aWebhookService({ settings: { maxBodyBytes: 10 } });
    await service.put();
    const broken = (bytes: number) => ({ ...json, body: '{'.padEnd(bytes, ' ') });
    expect(await service.call(aWebhookEvent(broken(10)))).toEqual(aProblem(400, 'body-invalid'));
    expect(await service.call(aWebhookEvent(broken(11)))).toEqual(aProblem(413, 'body-too-large'));
    const bytes = { body: Buffer.alloc(11).toString('base64'), isBase64Encoded: true };
    expect(await service.call(aWebhookEvent(bytes))).toEqual(aProblem(413, 'body-too-large'));
  });

  test('are limited to 6 MB by default', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'onReceived' } });
    const text = typed('text/plain');
    expect((await service.call(aWebhookEvent({ ...text, body: 'x'.repeat(6_291_456) }))).statusCode).toBe(
      202,
    );
    expect((await service.call(aWebhookEvent({ ...text, body: 'x'.repeat(6_291_457) }))).statusCode).toBe(
      413,
    );
  });

  test('keep keys such as __proto__ as data in a query, a form and the headers', async () => {
    const service = await aWebhookService();
    await service.put();
    const headers = JSON.parse('{"__proto__": "h", "content-type": "application/x-www-form-urlencoded"}');
    const event = aWebhookEvent({ query: '__proto__=q&constructor=c', body: '__proto__=f' });
    const result = await service.call({ ...event, headers });
    const own = (value: object) => new Map(Object.entries(value));
    expect(own(bodyOf(result).queryParams).get('__proto__')).toBe('q');
    expect(own(bodyOf(result).queryParams).get('constructor')).toBe('c');
    expect(own(bodyOf(result).body).get('__proto__')).toBe('f');
    expect(own(bodyOf(result).headers).get('__proto__')).toBe('h');
  });

  test('too large to return are a 500', async () => {
    const service = await aWebhookService();
    const times = 6_282_900; // Lambda sends the answer as JSON with its headers: quotes take two bytes
    await service.put({
      chain: [{ type: 'repeats', parameters: { times } }],
      settings: { maxOutputBytes: 7_000_000 },
    });
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(200);
    await service.put({
      id: 'large',
      chain: [{ type: 'repeats', parameters: { times: times + 500 } }],
      settings: { maxOutputBytes: 7_000_000 },
    });
    expect(await service.call(aJsonEvent({}, { workflowId: 'large' }))).toEqual(
      aProblem(500, 'answer-too-large'),
    );
  });
});
