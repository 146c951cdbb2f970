import { beforeAll, describe, expect, test } from '@jest/globals';
import { schemes } from '../../../../lib/webhooks/features/signature/schemes.ts';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';
import { aSignedService } from '../../../support/a-signed-service.ts';
import { type SignedRequest, signedRequests } from './signed-requests.ts';

const OTHER_SECRET = 'whsec_b3RoZXIgc2VjcmV0IG9mIGEgdGVzdA==';

const aServiceFor = (
  { rule, secret, at }: SignedRequest,
  changes: Parameters<typeof aSignedService>[1] = {},
) =>
  aSignedService({ signature: { ...rule, credentialId: 'sender' } }, { secrets: [secret], at, ...changes });

/** Another last character, of the same alphabet. */
const alter = (text: string): string => {
  const at = text.search(/\w=*$/);
  return `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
};

describe.each(signedRequests)('the signature of $name', (signed) => {
  const { request, signedIn, timedIn, at } = signed;
  const { headers, body } = request;
  const wants401 = ['discord', 'shopify', 'xero'].includes(String(signed.rule.scheme)); // they check that it is 401
  const refused = wants401 || signed.rule.wrongSignatureStatus === 401 ? 401 : 403;
  const isTimed = signed.isTimed ?? timedIn !== undefined;
  const tolerance = signed.toleranceSeconds ?? 300;
  const isHex = signed.rule.secretEncoding === 'hex';
  const otherSecret = signed.otherSecret ?? (isHex ? 'aa'.repeat(20) : OTHER_SECRET);
  let service: Awaited<ReturnType<typeof aSignedService>>;

  beforeAll(async () => {
    service = await aServiceFor(signed);
  });

  test('is accepted, and the workflow runs, which sees it', async () => {
    const answer = await service.receive(request);
    expect(answer.statusCode).toBe(200);
    expect(bodyOf(answer).headers).toMatchObject(headers);
    expect(service.executions.records()).toHaveLength(1);
  });

  // holds: signatures-over-received-bytes
  test('is accepted over the bytes of a base64 event', async () => {
    const encoded = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    expect(await service.send({ ...request, ...encoded })).toBe(200);
  });

  test('is accepted with the secret before the last rotation', async () => {
    const { send } = await aServiceFor(signed, { secrets: [otherSecret, signed.secret] });
    expect(await send(request)).toBe(200);
  });

  test('is accepted after a rotation that this sandbox has not seen', async () => {
    const { send, putSecrets } = await aServiceFor(signed, { secrets: [otherSecret] });
    expect(await send(request)).toBe(refused);
    await putSecrets([signed.secret, otherSecret]);
    expect(await send(request)).toBe(refused); // the credential was read again just before
    const later = await aServiceFor(signed, { secrets: [otherSecret] });
    await later.send({ ...request, headers: { ...headers, [signedIn]: '' } });
    await later.putSecrets([signed.secret, otherSecret]);
    expect(await later.send(request)).toBe(200);
  });

  const { [signedIn]: signature = '', ...unsigned } = headers;
  // holds: signatures-over-received-bytes
  test.each([
    [
      'an altered byte in the body',
      { body: body.replace(/\w/, (letter) => (letter === 'x' ? 'y' : 'x')) },
      'mismatch',
    ],
    [
      'an altered header',
      { headers: { ...headers, [signedIn]: alter(signature.split(',v0')[0] ?? '') } },
      'mismatch',
    ],
    ['a missing header', { headers: unsigned }, signedIn],
    ['an empty header', { headers: { ...headers, [signedIn]: '' } }, signedIn],
    ['a header of another form', { headers: { ...headers, [signedIn]: 'x'.repeat(9_000) } }, ''],
    ['no body', { body: null }, 'mismatch'],
  ])('with %s is refused, with the same response, and nothing starts', async (_case, changes, reason) => {
    const { receive, executions, lastLine } = service;
    const before = executions.records().length;
    const answer = await receive({ ...request, ...changes });
    expect(answer).toEqual(aProblem(refused, 'signature-invalid'));
    // RFC 9110 §15.5.2: a challenge with 401 alone
    expect('www-authenticate' in (answer.headers ?? {})).toBe(refused === 401);
    expect(answer.body).toContain('"detail":"The signature of the request is missing or wrong."');
    expect(lastLine()).toMatchObject({ code: 'SIGNATURE_INVALID', reason: expect.stringContaining(reason) });
    expect(executions.records()).toHaveLength(before);
  });

  test('with another secret is refused', async () => {
    const { send, lastLine } = await aServiceFor(signed, { secrets: [otherSecret] });
    expect(await send(request)).toBe(refused);
    expect(lastLine()).toMatchObject({
      reason: 'signature: mismatch: wrong secret, or the request was modified',
    });
  });

  if (!isTimed) return;

  test.each([
    [tolerance, 200, undefined],
    [-tolerance, 200, undefined],
    [tolerance + 241, refused, `signature: the timestamp is ${tolerance / 60 + 4} minutes old`],
    [-tolerance - 1, refused, `signature: the timestamp is ${tolerance / 60} minutes ahead`],
  ])('%d seconds later is answered %d', async (seconds, status, reason) => {
    const { send, lastLine } = await aServiceFor(signed, { at: at + seconds * 1_000 });
    expect(await send(request)).toBe(status);
    expect(lastLine().reason).toBe(reason);
  });

  test('has the tolerance that the parameter sets', async () => {
    const strict = { ...signed, rule: { ...signed.rule, toleranceSeconds: 10 } };
    expect(await (await aServiceFor(strict, { at: at + 10_000 })).send(request)).toBe(200);
    expect(await (await aServiceFor(strict, { at: at + 11_000 })).send(request)).toBe(refused);
  });

  if (timedIn === undefined) return;

  test.each([
    ['a missing timestamp', undefined, timedIn],
    ['a timestamp that is none', 'now', 'the timestamp is not a valid time'],
    ['a timestamp of 99 digits', '9'.repeat(99), 'the timestamp is not a valid time'],
  ])('with %s is refused', async (_case, timestamp, reason) => {
    const { send, lastLine } = service;
    const { [timedIn]: _, ...untimed } = headers;
    const changed = timestamp === undefined ? untimed : { ...headers, [timedIn]: timestamp };
    expect(await send({ ...request, headers: changed })).toBe(refused);
    expect(lastLine().reason).toEqual(expect.stringMatching(`^signature: .*${reason}`));
  });
});

test('every scheme without its own tests is in the table', () => {
  const own = ['jwt', 'plaid', 'mailgun', 'gitlab', 'telegram', 'token', 'paypal', 'sns'];
  const tested = signedRequests.map(({ rule }) => String(rule.scheme));
  expect([...new Set([...tested, ...own])].sort()).toEqual(Object.keys(schemes).sort());
});
