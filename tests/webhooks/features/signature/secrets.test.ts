import { createHmac } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { SECRETS_UNAVAILABLE } from '../../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../../lib/shared/errors.ts';
import { checkWebhookRules } from '../../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem } from '../../../support/a-problem.ts';
import { aSignedService } from '../../../support/a-signed-service.ts';
import { aWebhookEvent } from '../../../support/a-webhook-event.ts';
import { aWebhookService } from '../../../support/a-webhook-service.ts';
import { anOutboundService } from '../../../support/outbound-credentials.ts';

const signature = { scheme: 'github', credentialId: 'sender' };

const signedWith = (secret: string, body = '{"a":1}') => ({
  body,
  headers: {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  },
});

describe('the secret of a sender', () => {
  test('is read again once in five seconds for a flood of wrong signatures', async () => {
    const { send, outbound, clock } = await aSignedService({ signature }, { secrets: ['secret-1'] });
    const flood = async () => {
      for (let count = 0; count < 20; count++) expect(await send(signedWith('wrong-secret'))).toBe(403);
      await Promise.all(Array.from({ length: 10 }, () => send(signedWith('wrong-secret'))));
    };
    await flood();
    expect(outbound.reads()).toBe(2);
    const pass = (ms: number) => {
      clock.advance(ms);
      outbound.clock.advance(ms);
    };
    pass(4_999);
    await flood();
    expect(outbound.reads()).toBe(2);
    pass(1);
    await flood();
    expect(outbound.reads()).toBe(3);
    expect(await send(signedWith('secret-1'))).toBe(200);
  });

  test('that is new is found by all requests that wait for it', async () => {
    const { send, outbound, putSecrets } = await aSignedService({ signature }, { secrets: ['secret-1'] });
    expect(await send(signedWith('secret-1'))).toBe(200);
    await putSecrets(['secret-2', 'secret-1']);
    const all = await Promise.all(Array.from({ length: 5 }, () => send(signedWith('secret-2'))));
    expect(all).toEqual([200, 200, 200, 200, 200]);
    expect(outbound.reads()).toBe(2);
  });

  test('that is no longer live is accepted for at most a minute', async () => {
    const { send, outbound, putSecrets } = await aSignedService({ signature }, { secrets: ['secret-1'] });
    expect(await send(signedWith('secret-1'))).toBe(200);
    await putSecrets(['secret-2']);
    outbound.clock.advance(59_999);
    expect(await send(signedWith('secret-1'))).toBe(200);
    outbound.clock.advance(1);
    expect(await send(signedWith('secret-1'))).toBe(403);
    expect(await send(signedWith('secret-2'))).toBe(200);
  });

  test('is not read for a request without a signature', async () => {
    const { send, outbound } = await aSignedService({ signature }, { secrets: ['secret-1'] });
    expect(await send({ body: '{}' })).toBe(403);
    expect(outbound.reads()).toBe(0);
  });

  test('keeps its read limit across versions of its workflow', async () => {
    const service = await aSignedService({ signature }, { secrets: ['secret-1'] });
    for (let version = 0; version < 5; version++) {
      await service.put({ webhook: { signature }, settings: { timeoutSeconds: 10 + version } });
      service.clock.advance(0);
      await service.put({ id: `shop-${version}`, webhook: { signature } });
      await service.send({ ...signedWith('wrong-secret'), workflowId: `shop-${version}` });
    }
    expect(service.outbound.reads()).toBe(2);
  });

  test('is in no answer, log or record', async () => {
    const service = await aSignedService({ signature }, { secrets: ['canary-secret', 'canary-previous'] });
    await service.receive(signedWith('canary-secret'));
    const refused = await service.receive(signedWith('wrong-secret'));
    const kept = JSON.stringify([service.lines, service.executions.records(), refused]);
    expect(kept).not.toContain('canary');
  });

  test.each<[string, (outbound: ReturnType<typeof anOutboundService>) => Promise<void>, string]>([
    ['is missing', async () => {}, 'webhook-misconfigured'],
    [
      'has a different type',
      (outbound) => outbound.put('sender', 'httpBearer', { token: 'token-1' }),
      'webhook-misconfigured',
    ],
  ])('that %s refuses every request with 503', async (_case, prepare, code) => {
    const outbound = anOutboundService();
    await prepare(outbound);
    const service = await aWebhookService({ outboundCredentials: outbound.credentials });
    await service.put({ webhook: { signature } });
    expect(await service.call(aWebhookEvent(signedWith('secret-1')))).toEqual(aProblem(503, code));
    expect(service.executions.records()).toEqual([]);
  });

  test('that is temporarily unreadable refuses with 503, and says so', async () => {
    const failing = () => Promise.reject(new AppError(SECRETS_UNAVAILABLE, {}));
    const outbound = anOutboundService({ secrets: { get: failing } });
    await outbound.put('sender', 'signingSecret', { secret: 'secret-1' });
    const service = await aWebhookService({ outboundCredentials: outbound.credentials });
    await service.put({ webhook: { signature } });
    const answer = await service.call(aWebhookEvent(signedWith('secret-1')));
    expect(answer).toEqual(aProblem(503, 'secrets-unavailable'));
  });

  test('that cannot be used to sign is a fault of the webhook: 503', async () => {
    const rule = { ...signature, scheme: 'standardWebhooks' };
    const { receive } = await aSignedService({ signature: rule }, { secrets: ['whsec_*not base64*'] });
    const headers = { 'webhook-id': '1', 'webhook-timestamp': '1700000000', 'webhook-signature': 'v1,x' };
    expect(await receive({ body: '{}', headers })).toEqual(aProblem(503, 'webhook-misconfigured'));
  });
});

test.each([
  [
    'webhook-signature',
    'standardWebhooks',
    { 'webhook-id': '1', 'webhook-timestamp': '1700000000' },
    'v1,x ',
  ],
  ['stripe-signature', 'stripe', {}, 't=1700000000,v1=x,v1='],
])('a header %s with many signatures is refused', async (header, scheme, others, one) => {
  const { send, lastLine } = await aSignedService(
    { signature: { scheme, credentialId: 'sender' } },
    { secrets: ['secret-1'] },
  );
  const value = scheme === 'stripe' ? one + 'x,v1='.repeat(20) : one.repeat(20);
  expect(await send({ body: '{}', headers: { ...others, [header]: value } })).toBe(403);
  expect(lastLine()).toMatchObject({ reason: 'signature: too many signatures in the request' });
});

test('the signature is verified before the body is parsed, and after authentication', async () => {
  const { receive } = await aSignedService({ signature }, { secrets: ['secret-1'] });
  const broken = { ...signedWith('secret-1', '{"a":'), body: '{"a": ' };
  expect(await receive(broken)).toEqual(aProblem(403, 'signature-invalid'));
  expect(await receive(signedWith('secret-1', '{"a":'))).toEqual(aProblem(400, 'body-invalid'));
});

describe('when the workflow is stored,', () => {
  const problemsOf = async (rule: JsonObject) => {
    const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { signature: rule } }];
    const problems = await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
    return problems.map(
      ({ path, message }) => `${path.replace('/nodes/0/parameters/signature', '')} ${message}`,
    );
  };
  const hmac = { scheme: 'hmac', credentialId: 'c', header: 'x-signature' };
  const jwt = { scheme: 'jwt', issuer: 'i', audience: 'a', algorithms: ['RS256'] };
  const jwksUrl = 'https://i.example.com/keys';

  test.each<[JsonObject, string]>([
    [{ scheme: 'github' }, 'the scheme "github" needs credentialId'],
    [{ ...signature, toleranceSeconds: 5 }, '/toleranceSeconds has no effect with the scheme "github"'],
    [{ ...signature, jwksUrl }, '/jwksUrl has no effect with the scheme "github"'],
    [{ ...signature, scheme: 'gitea' }, '/scheme'],
    [{ ...signature, secret: 'x' }, 'secret'],
    [{ scheme: 'hmac', credentialId: 'c' }, 'the scheme "hmac" needs header'],
    [{ ...hmac, header: 'x signature' }, '/header'],
    [{ ...hmac, signed: '{path}' }, '/signed must contain {body}, so that the signature covers the body'],
    [
      { ...hmac, signed: '{timestamp}.{body}' },
      '/signed contains {timestamp}, which needs a timestampHeader or a timestampPrefix',
    ],
    [
      { ...hmac, timestampHeader: 'x-t' },
      '/timestampHeader is not covered by the signature: {timestamp} is missing from signed',
    ],
    [{ ...hmac, signed: '{body}{host}' }, '/signed there is no placeholder {host}'],
    [
      { ...hmac, toleranceSeconds: 5 },
      '/toleranceSeconds has no effect without a timestampHeader or a timestampPrefix',
    ],
    [{ ...hmac, url: 'https://a.example' }, '/url has no effect: {url} is missing from signed'],
    [jwt, 'a jwt needs either a credentialId or a jwksUrl'],
    [{ ...jwt, jwksUrl, credentialId: 'c' }, 'a jwt needs either a credentialId or a jwksUrl'],
    [{ scheme: 'jwt', jwksUrl, algorithms: ['RS256'] }, 'with a jwksUrl, a jwt needs issuer and audience'],
    [
      { ...jwt, jwksUrl, algorithms: ['HS256'] },
      '/algorithms HS256 need a shared secret, and a jwksUrl has public keys',
    ],
    [
      { ...jwt, credentialId: 'c', algorithms: ['HS256', 'RS256'] },
      '/algorithms mixes algorithms of shared secrets (HS…) and of public keys',
    ],
    [{ ...jwt, jwksUrl, secretEncoding: 'hex' }, '/secretEncoding has no effect: public keys are always PEM'],
    [{ ...jwt, jwksUrl, algorithms: ['none'] }, '/algorithms/0'],
    [{ ...jwt, jwksUrl: 'http://i.example.com/keys' }, '/jwksUrl'],
    [{ scheme: 'twilio', credentialId: 'c', url: 'https://a.example/?b=1' }, '/url'],
    [{ ...hmac, algorithm: 'ed25519' }, '/algorithm'],
    [
      { scheme: 'github', credentialId: 'c', wrongSignatureStatus: 401 },
      '/wrongSignatureStatus has no effect',
    ],
    [{ ...hmac, wrongSignatureStatus: 404 }, '/wrongSignatureStatus'],
    [{ ...hmac, timestampFormat: 'seconds' }, '/timestampFormat has no effect without'],
    [{ scheme: 'stripe', credentialId: 'c', timestampFormat: 'seconds' }, '/timestampFormat has no effect'],
    [{ ...hmac, scheme: 'publicKey', algorithm: 'sha256' }, '/algorithm'],
    [{ ...hmac, timestampPrefix: 't=' }, '/timestampPrefix'],
    [{ ...hmac, signed: '{body}{headers.}' }, '/signed'],
    [{ ...hmac, signed: '{body}{xheaders.a}' }, '/signed there is no placeholder {xheaders.a}'],
    [{ ...hmac, signed: '{body}{headers.a b}' }, '/signed there is no placeholder {headers.a b}'],
    [{ ...hmac, scheme: 'token', encoding: 'hex' }, '/encoding has no effect with the scheme "token"'],
    [{ ...jwt, credentialId: 'c', secretEncoding: 'hex' }, '/secretEncoding'],
    [{ scheme: 'jwt', jwksUrl, audience: 'a', algorithms: ['RS256'] }, 'needs issuer and audience'],
    [{ scheme: 'jwt', jwksUrl, issuer: 'i', algorithms: ['RS256'] }, 'needs issuer and audience'],
    [{ scheme: 'paypal' }, 'the scheme "paypal" needs webhookId'],
    [{ scheme: 'sns', topicArn: 'arn:aws:sns:eu-west-1:123456789012:a', credentialId: 'c' }, '/credentialId'],
    [{ scheme: 'plaid', credentialId: 'c', url: 'https://a.example' }, '/url has no effect'],
  ])('%j is refused', async (rule, problem) => {
    const problems = await problemsOf(rule);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.trim()).toContain(problem);
  });

  test.each([
    [{ scheme: 'github' }, 'the scheme "github" needs credentialId'],
    [jwt, 'a jwt needs either a credentialId or a jwksUrl'],
    [{ scheme: 'jwt', jwksUrl, algorithms: ['RS256'] }, 'with a jwksUrl, a jwt needs issuer and audience'],
  ])('a parameter that %j lacks is a problem of the whole signature', async (rule, message) => {
    expect(await problemsOf(rule)).toEqual([` ${message}`]);
  });

  test.each<[JsonObject]>([
    [signature],
    [{ scheme: 'stripe', credentialId: 'c', toleranceSeconds: 5 }],
    [{ scheme: 'plaid', credentialId: 'c', toleranceSeconds: 5 }],
    [{ scheme: 'twilio', credentialId: 'c', url: 'https://a.example/b' }],
    [{ scheme: 'paypal', webhookId: 'w', toleranceSeconds: 5 }],
    [{ ...hmac, scheme: 'token', prefix: 'Token ' }],
    [hmac],
    [{ ...hmac, signed: '{timestamp}{body}', timestampHeader: 'x-t', toleranceSeconds: 5 }],
    [{ ...hmac, signed: '{timestamp}{body}', timestampPrefix: 't=', toleranceSeconds: 5 }],
    [{ ...hmac, signed: '{method}{path}{query}{headers.X-Id}{url}{body}', url: 'https://a.example' }],
    [{ ...hmac, algorithm: 'sha512', encoding: 'base64', secretEncoding: 'hex' }],
    [{ ...hmac, scheme: 'publicKey', algorithm: 'ed25519' }],
    [{ ...hmac, scheme: 'publicKey', algorithm: 'ecdsa-sha256' }],
    [{ ...hmac, scheme: 'publicKey', algorithm: 'rsa-sha256' }],
    [{ ...jwt, jwksUrl }],
    [{ ...jwt, credentialId: 'c', toleranceSeconds: 5 }],
    [{ scheme: 'jwt', credentialId: 'c', algorithms: ['HS256', 'HS512'], secretEncoding: 'base64' }],
  ])('%j is stored', async (rule) => {
    expect(await problemsOf(rule)).toEqual([]);
  });
});
