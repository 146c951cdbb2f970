import { describe, expect, test } from '@jest/globals';
import type { Credential } from '../../lib/credentials/credential.ts';
import { hashGenerated, hashPassword } from '../../lib/credentials/hash-secret.ts';
import { aCredential } from '../support/a-credential.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';

describe('credentials', () => {
  const aClosedService = async (
    changes: Partial<Credential> = {},
    authentication: 'apiKey' | 'basic' = 'apiKey',
  ) => {
    const service = await aWebhookService();
    await service.putCredential(aCredential(changes));
    await service.put({ webhook: { authentication, credentialId: 'partner' } });
    return service;
  };
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  test.each<[string, Record<string, string>]>([
    ['x-api-key', { 'X-Api-Key': 'right' }],
    ['a bearer token', { Authorization: 'Bearer right' }],
  ])('sent as %s are accepted, and nothing downstream sees them', async (_case, headers) => {
    const service = await aClosedService();
    const result = await service.call(aJsonEvent({}, { headers }));
    expect(result.statusCode).toBe(200);
    const [name = ''] = Object.keys(headers);
    expect(bodyOf(result).headers[name.toLowerCase()]).toBe('[redacted]');
  });

  test('each have delivery keys of their own', async () => {
    const [one] = aCredential().secrets;
    if (one === undefined) throw new Error('no secret');
    const service = await aClosedService({
      secrets: [one, { ...one, id: 's2', hash: hashGenerated('other') }],
    });
    const send = (secret: string, body: unknown) =>
      service.call(aJsonEvent(body, { headers: { 'x-api-key': secret, 'idempotency-key': '1' } }));
    const answers = [
      await send('right', { of: 'A' }),
      await send('other', { of: 'A' }),
      await send('other', { of: 'A' }),
    ];
    expect(answers.map(({ headers }) => headers?.['hookloom-duplicate'])).toEqual([
      undefined,
      undefined,
      'true',
    ]);
    expect((await send('right', { of: 'A' })).headers).toMatchObject({ 'hookloom-duplicate': 'true' });
    expect(await send('right', { of: 'B' })).toEqual(aProblem(422, 'delivery-key-reused'));
    expect(service.executions.records()).toHaveLength(2);
  });

  test('of a login are accepted, and redacted for the workflow', async () => {
    const secrets = [{ id: 's', createdAt: '', hash: await hashPassword('pässword:x', 16) }];
    const service = await aClosedService({ type: 'basic', username: 'ann', secrets }, 'basic');
    for (let turn = 0; turn < 2; turn += 1) {
      const result = await service.call(aJsonEvent({}, { headers: basic('ann:pässword:x') }));
      expect(bodyOf(result).headers.authorization).toBe('[redacted]');
    }
    expect((await service.call(aJsonEvent({}, { headers: basic('ann:password:x') }))).statusCode).toBe(401);
  });

  test('that are missing or wrong get the same response, with a challenge, and run nothing', async () => {
    const service = await aClosedService();
    const attempts: Record<string, string>[] = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': 'wrong' },
      { 'x-api-key': 'righ' },
      { 'x-api-key': 'right,right' },
      { 'x-api-key': 'x'.repeat(9_000) },
      { authorization: 'Bearer wrong', 'x-api-key': 'wrong' },
      basic('partner:right'),
    ];
    const answers = await Promise.all(attempts.map((headers) => service.call(aJsonEvent({}, { headers }))));
    expect(answers[0]).toEqual(aProblem(401, 'unauthorized'));
    expect(answers[0]?.headers).toMatchObject({ 'www-authenticate': 'Bearer realm="hookloom"' });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(service.executions.records()).toEqual([]);
  });

  // RFC 6750 §3.1
  test.each([
    ['Bearer wrong', 401, 'unauthorized', 'invalid_token'],
    ['bearer wrong==', 401, 'unauthorized', 'invalid_token'],
    ['Bearer', 400, 'authorization-malformed', 'invalid_request'],
    ['Bearer right right', 400, 'authorization-malformed', 'invalid_request'],
    ['Bearer "right"', 400, 'authorization-malformed', 'invalid_request'],
  ])('in the header %j get %d with the error', async (authorization, status, problem, error) => {
    const service = await aClosedService();
    const answer = await service.call(aJsonEvent({}, { headers: { authorization } }));
    expect(answer).toEqual(aProblem(status, problem));
    expect(answer.headers).toMatchObject({ 'www-authenticate': `Bearer realm="hookloom", error="${error}"` });
    expect(service.executions.records()).toEqual([]);
  });

  test('are requested as RFC 7617 specifies', async () => {
    const service = await aClosedService({ type: 'basic', username: 'ann' }, 'basic');
    expect(await service.call(aJsonEvent({}))).toMatchObject({
      statusCode: 401,
      headers: { 'www-authenticate': 'Basic realm="hookloom", charset="UTF-8"' },
    });
  });

  test.each<[string, Parameters<typeof aClosedService>, string | null]>([
    ['missing', [], null],
    ['unknown', [{ id: 'other' }], 'partner'],
    ['empty', [{ secrets: [] }], 'partner'],
    ['for another kind of authentication', [{}, 'basic'], 'partner'],
  ])('that are %s close the webhook with 503', async (_case, args, credentialId) => {
    const service = await aClosedService(...args);
    const [, authentication = 'apiKey'] = args;
    await service.put({ id: 'shop2', webhook: { authentication, credentialId } });
    const event = aJsonEvent({}, { workflowId: 'shop2', headers: { 'x-api-key': 'right' } });
    const result = await service.call(event);
    expect(result).toEqual(aProblem(503, 'authentication-misconfigured'));
    expect(result.headers).toHaveProperty('retry-after');
    expect(service.lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', code: 'AUTHENTICATION_MISCONFIGURED', status: 503 },
    ]);
    expect(service.executions.records()).toEqual([]);
  });

  // holds: revoked-secrets-end
  test('with a rotated secret are refused once the cache has expired', async () => {
    const service = await aClosedService();
    const event = aJsonEvent({}, { headers: { 'x-api-key': 'right' } });
    expect((await service.call(event)).statusCode).toBe(200);
    const secrets = [{ id: 's2', createdAt: '', hash: hashGenerated('new') }];
    await service.putCredential(aCredential({ revision: 2, secrets }));
    service.clock.advance(5_000);
    expect((await service.call(event)).statusCode).toBe(401);
  });
});
