import type { CredentialContext, CredentialType } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { testCredential } from '../../../lib/credentials/outbound/test-credential.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import {
  aServer,
  inMemoryCallLimits,
  inMemoryLocks,
  inMemoryOutboundStore,
  inMemorySecrets,
  noTcp,
} from '../../support/outbound-credentials.ts';

const SECRET = 'the-secret-of-acme';

/** @param onRead - called when the secret is read */
const testWith = async (
  test: CredentialType['test'],
  bound?: string,
  onRead: (secrets: ReturnType<typeof inMemorySecrets>) => void = () => {},
) => {
  const type: CredentialType = {
    id: 'acme',
    name: 'Acme',
    description: 'A token',
    schema: { type: 'object', properties: { token: { type: 'string' } } },
    secretFields: ['token'],
    ...(test === undefined ? {} : { test }),
  };
  const [store, secrets] = [inMemoryOutboundStore(), inMemorySecrets()];
  const reference = bound ?? (await secrets.put('a', JSON.stringify({ token: SECRET })));
  secrets.values.set(reference, JSON.stringify({ token: SECRET }));
  await store.put({ id: 'a', type: 'acme', fields: {}, hosts: null, reference, revision: 1 });
  const parts = {
    store,
    secrets: {
      ...secrets,
      get: async (reference: string) => {
        const secret = await secrets.get(reference);
        onRead(secrets);
        return secret;
      },
    },
    locks: inMemoryLocks(),
    limits: inMemoryCallLimits(),
    hostLimits: [],
    findType: async () => type,
    http: aServer(),
    tcp: noTcp,
    clock: aManualClock(),
    random: Math.random,
  };
  return testCredential('a', parts, new AbortController().signal);
};

const thrown = (value: unknown) => async () => {
  throw value;
};

const notResult = { status: 'unhealthy', message: 'its live test returned an invalid result' };

test.each<[string, unknown, unknown]>([
  ['a result', async () => ({ status: 'warning', message: 'slow' }), { status: 'warning', message: 'slow' }],
  ['a result with more', async () => ({ status: 'healthy', token: SECRET }), { status: 'healthy' }],
  [
    'a message that is not text',
    async () => ({ status: 'healthy', message: { token: SECRET } }),
    { status: 'healthy' },
  ],
  [
    'a secret in a result',
    async (fields: object) => ({ status: 'unhealthy', message: `not ${JSON.stringify(fields)}` }),
    { status: 'unhealthy', message: 'not {"token":"[redacted]"}' },
  ],
  [
    'a secret in an object of a class',
    async () =>
      new (class {
        readonly status = 'unhealthy';
        readonly message = `not ${SECRET}`;
      })(),
    { status: 'unhealthy', message: 'not [redacted]' },
  ],
  [
    'a secret that is thrown',
    thrown(new Error(`not ${Buffer.from(SECRET).toString('base64')}`)),
    { status: 'unhealthy', message: expect.stringMatching(/^not \[redacted\]/) },
  ],
  ['a text that is thrown', thrown(SECRET), { status: 'unhealthy', message: '[redacted]' }],
  [
    'what cannot be described',
    thrown({
      toString: () => {
        throw new Error(SECRET);
      },
    }),
    { status: 'unhealthy', message: 'its live test threw an error that cannot be described' },
  ],
  ['a blank message', async () => ({ status: 'healthy', message: ' ' }), { status: 'healthy' }],
  [
    'a request',
    async (_fields: object, { http }: CredentialContext) => {
      const { status } = await http.request({ url: 'https://api.example.com/' });
      return { status: status === 200 ? 'healthy' : 'unhealthy' };
    },
    { status: 'healthy' },
  ],
  ['nothing', async () => undefined, notResult],
  ['a text', async () => 'fine', notResult],
  ['another status', async () => ({ status: SECRET }), notResult],
  ['no test', undefined, null],
])('a live test with %s', async (_case, test, expected) => {
  expect(await testWith(test as CredentialType['test'])).toEqual(expected);
});

test('a live test can renew a secret that the service manages, and no other', async () => {
  const renews: CredentialType['test'] = async (_fields, { renewSecrets }) => {
    if (renewSecrets === undefined) return { status: 'warning', message: 'it can only be read' };
    const { token } = await renewSecrets({
      isRenewed: () => false,
      renew: async () => ({ token: 'the-next-token' }),
    });
    return { status: token === 'the-next-token' ? 'healthy' : 'unhealthy' };
  };
  const bound = await testWith(renews, 'arn:aws:secretsmanager:eu-west-1:1:secret:acme');
  expect(bound).toEqual({ status: 'warning', message: 'it can only be read' });
  expect(await testWith(renews)).toEqual({ status: 'healthy' });
});

test('a live test of a secret that was removed meanwhile fails as the credential, not as the test', async () => {
  const renews: CredentialType['test'] = async (_fields, { renewSecrets }) => {
    await renewSecrets?.({ isRenewed: () => false, renew: async () => ({ token: 'the-next-token' }) });
    return { status: 'healthy' };
  };
  await expect(testWith(renews, undefined, ({ values }) => values.clear())).rejects.toMatchObject({
    name: 'CredentialMissing',
  });
});
