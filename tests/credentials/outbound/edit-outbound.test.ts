import { describe, expect, test } from '@jest/globals';
import { createEditOutbound } from '../../../lib/credentials/outbound/edit-outbound.ts';
import type { OutboundCredential } from '../../../lib/credentials/outbound/outbound-credential.ts';
import { type SecretStore, SecretStoreOut } from '../../../lib/credentials/outbound/secret-store.ts';
import { SECRETS_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import credentialTypes from '../../../nodes/credential-types/credential-types.plugin.ts';
import { checkSchema } from '../../../packages/authoring/validation/schema/check-schema.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { inMemoryLocks, inMemoryOutboundStore, inMemorySecrets } from '../../support/outbound-credentials.ts';

const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hookloom-test/crm-AbCdEf';

const unavailable = (cause: Error) => () => Promise.reject(new AppError(SECRETS_UNAVAILABLE, {}, cause));

/** The secret store throttles: whether the secret exists is unknown. */
const isOut = unavailable(new SecretStoreOut('it throttles', { isThrottled: true }));

/** The editor with its real parts; only the stores are in memory, with one credential of the type. */
const open = async (
  type = 'httpBearer',
  spoiled: Partial<SecretStore> = {},
  changes: Partial<OutboundCredential> = {},
) => {
  const store = inMemoryOutboundStore();
  const kept = inMemorySecrets();
  const secrets = { ...kept, ...spoiled };
  const types = new Map((credentialTypes.credentialTypes ?? []).map((each) => [each.id, each]));
  const edit = createEditOutbound({
    store,
    secrets,
    loadTypes: async () => types,
    locks: inMemoryLocks(),
    clock: aManualClock(),
    random: () => 1,
    checkFields: (schema, fields) => checkSchema(schema, fields, ''),
    boundPrefix: 'hookloom-test/',
  });
  const crm: OutboundCredential = {
    id: 'crm',
    type,
    fields: {},
    hosts: ['a.example'],
    reference: secrets.referenceOf('crm'),
    revision: 1,
    ...changes,
  };
  await store.put(crm);
  return { edit, crm, store, values: kept.values };
};

const create = { id: 'other', type: 'httpBearer', hosts: ['a.example'] };

test.each(['rotate', 'changeHosts'] as const)(
  '%s of a credential whose type is not installed is refused with both names',
  async (change) => {
    const { edit, crm, store } = await open('retired');
    const call = {
      rotate: () => edit.rotate(crm, { token: 'the-token-2' }),
      changeHosts: () => edit.changeHosts(crm, ['b.example']),
    };
    await expect(call[change]()).rejects.toMatchObject({
      code: 'CREDENTIAL_UNSUITABLE',
      message: "crm can't be changed: no installed plugin provides its type retired.",
    });
    expect(await store.find('crm')).toEqual(crm);
  },
);

describe('the rotation of a secret', () => {
  test('that is bound to one of Secrets Manager is refused, and writes nothing', async () => {
    const { edit, crm, store, values } = await open();
    const bound = { ...crm, reference: ARN };
    await expect(edit.rotate(bound, { token: 'the-token-2' })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNSUITABLE',
      message: `crm has its secret in ${ARN}: rotate it there.`,
    });
    expect(await store.find('crm')).toEqual(crm);
    expect([...values]).toEqual([]);
  });

  test.each([
    ['httpBearer', {}, 'token'],
    ['googleServiceAccount', { scope: 'drive' }, 'key'],
  ])('of the type %s that no longer exists needs all its fields', async (type, fields, missing) => {
    const { edit, crm, store, values } = await open(type, {}, { fields });
    await expect(edit.rotate(crm, {})).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
      parameters: { errors: [{ pointer: '#', detail: `lacks the key "${missing}"` }] },
    });
    expect(await store.find('crm')).toEqual(crm);
    expect([...values]).toEqual([]);
  });
});

describe('a change of hosts', () => {
  test('that removes some needs no secret, so that a leak can be stopped while the store is out', async () => {
    const hosts = ['a.example', 'b.example'];
    const { edit, crm, store } = await open('httpBearer', { get: isOut }, { hosts });
    const changed = { ...crm, hosts: ['b.example'], revision: 2 };
    expect(await edit.changeHosts(crm, ['b.example'])).toEqual(changed);
    expect(await store.find('crm')).toEqual(changed);
  });

  test('to those of the type needs the secret', async () => {
    const { edit, crm, store } = await open('slackWebhook', { get: isOut });
    await expect(edit.changeHosts(crm, undefined)).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
    expect(await store.find('crm')).toEqual(crm);
  });
});

describe('a new host', () => {
  test('gets none of the stored secret fields, not even those that are not given', async () => {
    const fields = { name: 'x-key' };
    const { edit, crm, values, store } = await open('httpHeader', {}, { fields });
    values.set('memory:crm', JSON.stringify({ value: 'first-value', secondValue: 'second-value' }));
    await expect(edit.changeHosts(crm, ['b.example'], { value: 'given-value' })).resolves.toMatchObject({
      hosts: ['b.example'],
      revision: 3,
    });
    expect(JSON.parse(values.get('memory:crm') ?? '')).toEqual({ value: 'given-value' });
    expect(await store.find('crm')).toMatchObject({ hosts: ['b.example'], revision: 3 });
  });

  test('is stored after the secret, so that it gets no earlier one', async () => {
    const writes: unknown[] = [];
    const put = async (_id: string, secret: string) => {
      writes.push(JSON.parse(secret));
      return 'memory:crm';
    };
    const { edit, crm, store } = await open('httpBearer', { put } as Partial<SecretStore>);
    const original = store.put;
    Object.assign(store, {
      put: async (credential: OutboundCredential) => {
        writes.push(credential.hosts);
        await original(credential);
      },
    });
    await edit.changeHosts(crm, ['b.example'], { token: 'given-token' });
    expect(writes).toEqual([['a.example'], { token: 'given-token' }, ['b.example']]);
  });

  test('of a secret in Secrets Manager needs another credential; fewer hosts do not', async () => {
    const { edit, crm, store } = await open();
    const bound = { ...crm, id: 'bound', hosts: ['a.example', 'b.example'], reference: ARN };
    await store.put(bound);
    for (const given of [undefined, { token: 'given-token' }])
      await expect(edit.changeHosts(bound, ['c.example'], given)).rejects.toMatchObject({
        code: 'CREDENTIAL_UNSUITABLE',
        message: expect.stringContaining(`bound has its secret in ${ARN}`),
      });
    expect(await edit.changeHosts(bound, ['b.example'])).toMatchObject({ hosts: ['b.example'] });
  });

  test('of a second credential for a secret in Secrets Manager is refused', async () => {
    const { edit } = await open('httpBearer', { get: async () => 'the-token-1' });
    await edit.create({ ...create, ref: ARN });
    await expect(
      edit.create({ ...create, id: 'mine', ref: ARN, hosts: ['b.example'] }),
    ).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
      parameters: { errors: [{ pointer: '#/hosts', detail: expect.stringContaining('those of other') }] },
    });
    await expect(edit.create({ ...create, id: 'same', ref: ARN })).resolves.toMatchObject({ id: 'same' });
  });
});

describe('limits on calls', () => {
  const limits = { perSecond: 5, atOnce: 2 };

  test('are stored only if there are any', async () => {
    const { edit } = await open();
    const secrets = { token: 'the-token-1' };
    expect(await edit.create({ ...create, secrets, limits })).toMatchObject({ limits });
    expect(await edit.create({ ...create, id: 'third', secrets })).toStrictEqual({
      id: 'third',
      type: 'httpBearer',
      fields: {},
      hosts: ['a.example'],
      reference: 'memory:third',
      revision: 1,
    });
  });

  test('are replaced, and removed, each time as a new revision', async () => {
    const { edit, crm, store } = await open();
    const limited = await edit.changeLimits(crm, limits);
    expect(limited).toStrictEqual({ ...crm, limits, revision: 2 });
    expect(await edit.changeLimits(limited, null)).toStrictEqual({ ...crm, revision: 3 });
    expect(await store.find('crm')).toStrictEqual({ ...crm, revision: 3 });
  });

  test('are refused for a type that is never added to a request', async () => {
    const { edit, crm, store } = await open('smtp');
    await expect(edit.changeLimits(crm, limits)).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
      parameters: { errors: [{ pointer: '#/limits', detail: expect.stringContaining('smtp passes its') }] },
    });
    expect(await store.find('crm')).toEqual(crm);
  });

  test('can be removed even if no installed plugin provides the type', async () => {
    const { edit, crm } = await open('retired', {}, { limits });
    const { limits: _removed, ...unlimited } = crm;
    expect(await edit.changeLimits(crm, null)).toStrictEqual({ ...unlimited, revision: 2 });
    await expect(edit.changeLimits(crm, limits)).rejects.toMatchObject({ code: 'CREDENTIAL_UNSUITABLE' });
  });
});

test('the removal of an earlier revision is refused with the id', async () => {
  const { edit, crm, store } = await open();
  await store.put({ ...crm, revision: 2 });
  await expect(edit.remove(crm)).rejects.toMatchObject({
    code: 'CREDENTIAL_CHANGED',
    message: 'Credential crm was changed in the meantime; retry.',
  });
});

describe('a credential for a secret of Secrets Manager', () => {
  test('that holds public fields of the type as well is accepted, as one in Secrets Manager may', async () => {
    const { edit, values } = await open();
    const secret = { username: 'ann', password: 'right-password' };
    values.set(ARN, JSON.stringify(secret));
    const basic = { ...create, type: 'httpBasic', fields: { username: 'ann' } };
    expect(await edit.create({ ...basic, ref: ARN })).toMatchObject({ reference: ARN });
    await expect(edit.create({ ...basic, id: 'third', secrets: secret })).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
    });
  });

  test('is created without a secret of its own', async () => {
    const { edit, store, values } = await open('httpBearer', { get: async () => 'the-token-1' });
    const created = await edit.create({ ...create, ref: ARN });
    expect(created).toMatchObject({ reference: ARN, revision: 1 });
    expect(await store.find('other')).toEqual(created);
    expect([...values]).toEqual([]);
  });

  test('is not created while the store is out: the answer is not that there is no such secret', async () => {
    const { edit, store } = await open('httpBearer', { get: isOut });
    await expect(edit.create({ ...create, ref: ARN })).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
    expect(await store.find('other')).toBeNull();
  });

  const refuses = unavailable(new Error('AccessDeniedException'));
  test.each([
    ['must be the ARN', 'x', async () => 'the-token-1'],
    ['must be the ARN', ARN.slice(0, -'hookloom-test/crm-AbCdEf'.length), async () => 'the-token-1'],
    ['must be named hookloom-test/…', ARN.replace('-test', '-production'), async () => 'the-token-1'],
    ['has no secret of the type httpBearer', ARN, refuses],
    ['has no secret of the type httpBearer', ARN, async () => null],
    ['has no secret of the type httpBearer', ARN, async () => '{"token":'],
  ])('is refused with what is wrong: %s of %s', async (detail, ref, get) => {
    const { edit, store } = await open('httpBearer', { get });
    await expect(edit.create({ ...create, ref })).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
      parameters: { errors: [{ pointer: '#/ref', detail: expect.stringContaining(detail) }] },
    });
    expect(await store.find('other')).toBeNull();
  });
});
