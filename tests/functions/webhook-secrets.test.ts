import { beforeAll, describe, expect, test } from '@jest/globals';
import { hashGenerated, hashPassword } from '../../lib/credentials/hash-secret.ts';
import { aCredential } from '../support/a-credential.ts';
import { aJsonEvent, type aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';

const key = 'canary-key-4f1d';
const password = 'canary-pass-9b2e';
const login = Buffer.from(`ann:${password}`).toString('base64');
const inBody = 'canary-body-77aa';
const secrets = [key, password, login];

/** As a secret could come to light: plain, encoded, or the other way round. */
const guises = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('hex'),
  [...text].reverse().join(''),
];

const requests: [string, Parameters<typeof aWebhookEvent>[0]][] = [
  ['accepted', { path: 'orders', workflowId: 'accepts' }],
  ['answered', { workflowId: 'answers' }],
  ['failed', { workflowId: 'fails' }],
  ['cannot run', { workflowId: 'broken' }],
  ['other method', { workflowId: 'answers', method: 'PUT' }],
  ['unknown path', { workflowId: 'answers', path: `x/${key}` }],
  ['unknown workflow', { workflowId: key }],
  ['wrong key', { workflowId: 'answers', headers: { 'x-api-key': `${key}x` } }],
  ['two keys', { workflowId: 'answers', headers: { 'x-api-key': `${key},${key}` } }],
  ['key and token', { workflowId: 'answers', headers: { authorization: `Bearer ${password}` } }],
  ['misconfigured', { workflowId: 'misconfigured' }],
  ['not JSON', { workflowId: 'answers', body: `{"${inBody}" ${inBody}` }],
  ['login', { workflowId: 'login', headers: { authorization: `Basic ${login}` } }],
  ['wrong login', { workflowId: 'login', headers: { authorization: `Basic ${login}QQ` } }],
  ['store down', { workflowId: 'down' }],
];

describe('secrets', () => {
  let service: WebhookService;
  const answers = new Map<string, string>();

  beforeAll(async () => {
    service = await aWebhookService({
      spoilt: {
        workflows: {
          find: (id) =>
            id === 'down' ? Promise.reject(new Error(`no table, key ${id}`)) : service.workflows.find(id),
        },
      },
    });
    const createdAt = '2026-01-01T00:00:00.000Z';
    await service.putCredential(aCredential({ secrets: [{ id: 's', createdAt, hash: hashGenerated(key) }] }));
    const hash = await hashPassword(password, 16);
    await service.putCredential(
      aCredential({ id: 'ann', type: 'basic', username: 'ann', secrets: [{ id: 's', createdAt, hash }] }),
    );
    const webhook = { authentication: 'apiKey', credentialId: 'partner' } as const;
    await service.put({ id: 'accepts', webhook: { ...webhook, responseMode: 'onReceived' } });
    await service.put({ id: 'answers', webhook });
    await service.put({ id: 'fails', webhook, chain: [{ type: 'fails' }] });
    await service.put({ id: 'broken', webhook, chain: [{ type: 'uninstalled' }] });
    await service.put({ id: 'misconfigured', webhook: { ...webhook, credentialId: 'ann' } });
    await service.put({ id: 'login', webhook: { authentication: 'basic', credentialId: 'ann' } });
    for (const [name, { headers = {}, ...changes } = {}] of requests) {
      const event = aJsonEvent(
        { field: inBody },
        {
          ...changes,
          headers: { ...(changes.workflowId === 'login' ? {} : { 'x-api-key': key }), ...headers },
        },
      );
      const body = changes.body ?? event.body;
      const { statusCode, ...answer } = await service.call({ ...event, body });
      answers.set(name, `${statusCode} ${JSON.stringify(answer)}`);
    }
  });

  test('are in requests that reach the expected stage', () => {
    expect([...answers].map(([name, answer]) => `${name}: ${answer.slice(0, 3)}`)).toEqual([
      'accepted: 202',
      'answered: 200',
      'failed: 500',
      'cannot run: 500',
      'other method: 405',
      'unknown path: 404',
      'unknown workflow: 404',
      'wrong key: 401',
      'two keys: 401',
      'key and token: 200',
      'misconfigured: 503',
      'not JSON: 400',
      'login: 200',
      'wrong login: 401',
      'store down: 500',
    ]);
  });

  // holds: secrets-in-no-record, requests-in-no-log
  test.each(secrets.flatMap(guises))('%s is in no answer, no log line and no record', (canary) => {
    const everything = [
      ...answers.values(),
      ...service.lines,
      ...service.executions.records().map((record) => JSON.stringify(record)),
    ];
    expect(everything.length).toBeGreaterThan(requests.length * 2);
    expect(everything.filter((text) => text.includes(canary))).toEqual([]);
  });

  // A request that runs in the background is kept until it has run; what is shown of it is another test's business.
  // holds: requests-in-no-log
  test.each(guises(inBody))(
    '%s, from a body, is in no log line, no refusal, and no record of a run whose caller saw it succeed',
    (canary) => {
      const refusals = [...answers]
        .filter(([, answer]) => !answer.startsWith('200'))
        .map(([, answer]) => answer);
      const records = service.executions
        .records()
        .filter(({ mode, status }) => mode === 'inline' && status === 'succeeded')
        .map((record) => JSON.stringify(record));
      expect(records).not.toEqual([]);
      for (const text of [...refusals, ...service.lines, ...records]) expect(text).not.toContain(canary);
    },
  );
});
