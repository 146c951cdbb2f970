import { createRandom, type HttpClient } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createEditOutbound } from '../../../lib/credentials/outbound/edit-outbound.ts';
import type { OutboundCredential } from '../../../lib/credentials/outbound/outbound-credential.ts';
import { createOutboundCredentials } from '../../../lib/credentials/outbound/outbound-credentials.ts';
import credentialTypes from '../../../nodes/credential-types/credential-types.plugin.ts';
import { checkSchema } from '../../../packages/authoring/validation/schema/check-schema.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import {
  inMemoryCallLimits,
  inMemoryLocks,
  inMemoryOutboundStore,
  inMemorySecrets,
  noTcp,
} from '../../support/outbound-credentials.ts';

const TOKEN_URL = 'https://login.example.com/token';
const FEWER_HOSTS = ['api.example.com'];
const HOSTS = [...FEWER_HOSTS, 'b.example'];
const OTHER_HOSTS = ['c.example'];
const fields = { tokenUrl: TOKEN_URL, clientId: 'client', grant: 'refreshToken' };

/** What is stored of a credential; null if it does not exist. */
type Stored = { readonly hosts: readonly string[]; readonly client: string; readonly refresh: string } | null;

const before: Stored = { hosts: HOSTS, client: 'first-client', refresh: 'first-refresh' };
const anew: Stored = { hosts: HOSTS, client: 'anew-client', refresh: 'anew-refresh' };

/** What each change makes of what is stored, when nothing else goes on. */
const effects = {
  renewal: (stored) => stored && { ...stored, refresh: `${stored.refresh}+` },
  rotate: (stored) => stored && { ...stored, client: 'rotated-client' },
  'another rotate': (stored) => stored && { ...stored, client: 'other-client' },
  hosts: (stored) => stored && { ...stored, hosts: FEWER_HOSTS },
  'other hosts': (stored) =>
    stored && { hosts: OTHER_HOSTS, client: 'given-client', refresh: 'given-refresh' },
  remove: () => null,
  'remove and create': () => anew,
} satisfies Readonly<Record<string, (stored: Stored) => Stored>>;
type Change = keyof typeof effects;

/** A credential, and what changes it: each with ports of its own. */
const aCredential = async (tokenMs: number) => {
  const { clock, run } = aVirtualClock();
  const store = inMemoryOutboundStore();
  const secrets = inMemorySecrets();
  const locks = inMemoryLocks();
  const types = new Map((credentialTypes.credentialTypes ?? []).map((type) => [type.id, type]));
  const http: HttpClient = {
    request: async ({ url, body }) => {
      if (url === TOKEN_URL) await clock.sleep(tokenMs);
      const refresh = `${new URLSearchParams(String(body ?? '')).get('refresh_token')}+`;
      const content = { access_token: `access of ${refresh}`, refresh_token: refresh, expires_in: 3_600 };
      const bytes = new TextEncoder().encode(JSON.stringify(content));
      return { status: 200, headers: {}, body: bytes, stream: null, url };
    },
  };
  const open = (ports: { store: typeof store; secrets: typeof secrets; locks: typeof locks }) => {
    const random = createRandom('edits');
    const edit = createEditOutbound({
      ...ports,
      clock,
      random,
      boundPrefix: 'hookloom-test/',
      loadTypes: async () => types,
      checkFields: (schema, given) => checkSchema(schema, given, ''),
    });
    const credentials = createOutboundCredentials({
      ...ports,
      clock,
      random,
      http,
      tcp: noTcp,
      limits: inMemoryCallLimits(),
      hostLimits: [],
      findType: async (id) => types.get(id) ?? null,
    });
    const find = async (): Promise<OutboundCredential> => {
      const found = await store.find('crm');
      if (found === null) throw new Error('it does not exist');
      return found;
    };
    const create = (stored: NonNullable<Stored>) =>
      edit.create({
        id: 'crm',
        type: 'oauth2',
        fields,
        hosts: stored.hosts,
        secrets: { clientSecret: stored.client, refreshToken: stored.refresh },
      });
    const changes: Readonly<Record<Change | 'create', () => Promise<unknown>>> = {
      create: () => create(before),
      renewal: async () => {
        const credential = await (await credentials.open()).lend('crm', ['oauth2']);
        return credentials.request({ ...anOutboundRequest('https://api.example.com/'), credential });
      },
      rotate: async () => edit.rotate(await find(), { clientSecret: 'rotated-client' }),
      'another rotate': async () => edit.rotate(await find(), { clientSecret: 'other-client' }),
      hosts: async () => edit.changeHosts(await find(), FEWER_HOSTS),
      'other hosts': async () =>
        edit.changeHosts(await find(), OTHER_HOSTS, {
          clientSecret: 'given-client',
          refreshToken: 'given-refresh',
        }),
      remove: async () => edit.remove(await find()),
      'remove and create': async () => {
        await edit.remove(await find());
        await create(anew);
      },
    };
    return changes;
  };
  const ports = { store, secrets, locks };
  await run(open(ports).create());
  const read = async (): Promise<Stored> => {
    const record = await store.find('crm');
    const secret = secrets.values.get('memory:crm');
    expect({ hasSecret: secret !== undefined }).toEqual({ hasSecret: record !== null });
    if (record === null || secret === undefined) return null;
    const { clientSecret, refreshToken } = JSON.parse(secret);
    return { hosts: record.hosts ?? [], client: clientSecret, refresh: refreshToken };
  };
  return { ports, open, run, read, clock };
};

/** Holds the nth call of some ports, before or after it takes effect, until it is released. */
const holdCall = (nth: number, when: 'before' | 'after') => {
  const { promise: held, resolve: tell } = Promise.withResolvers<string>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  const watch = <Port extends object>(port: Port, ofPort: string): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || name === 'referenceOf') return method;
        return async (...args: readonly unknown[]) => {
          if (calls++ !== nth) return method(...args);
          if (when === 'before') {
            tell(`before ${ofPort}.${String(name)}`);
            await released;
            return method(...args);
          }
          const result = await method(...args);
          tell(`after ${ofPort}.${String(name)}`);
          await released;
          return result;
        };
      },
    });
  return { watch, held, release };
};

/** What could be stored after changes that succeeded, one after the other in any order. */
const outcomesOf = (changes: readonly Change[]): Stored[] => {
  const [one, other] = changes;
  if (one === undefined) return [before];
  if (other === undefined) return [effects[one](before)];
  return [effects[other](effects[one](before)), effects[one](effects[other](before))];
};

const pairs: readonly (readonly [Change, Change])[] = [
  ...(['rotate', 'hosts', 'other hosts', 'remove', 'remove and create'] as const).flatMap((edit) => [
    ['renewal', edit] as const,
    [edit, 'renewal'] as const,
  ]),
  ['rotate', 'another rotate'],
  ['rotate', 'hosts'],
  ['hosts', 'rotate'],
  ['rotate', 'other hosts'],
  ['other hosts', 'rotate'],
  ['rotate', 'remove'],
  ['remove', 'rotate'],
  ['rotate', 'remove and create'],
  ['hosts', 'remove and create'],
];

describe.each(pairs)('%s, held at any call, and %s meanwhile', (first, second) => {
  test.each(['before', 'after'] as const)(
    'store what those that succeed make one after the other: held %s each call',
    async (when) => {
      for (let nth = 0; ; nth++) {
        const { ports, open, run, read, clock } = await aCredential(2_000);
        const { watch, held, release } = holdCall(nth, when);
        const { store, secrets, locks } = ports;
        const slow = open({
          store: watch(store, 'store'),
          secrets: watch(secrets, 'secrets'),
          locks: watch(locks, 'locks'),
        })[first]();
        slow.catch(() => {}); // it is looked at below
        const point = await run(Promise.race([held, slow.then(() => null)]));
        if (point === null) break;
        const quick = open(ports)[second]();
        // A call to a secret store that is under way is answered or given up after three tries, in less than 20 s.
        const isInFlight = ['before secrets.put', 'before secrets.remove'].includes(point);
        await run(Promise.race([quick, ...(isInFlight ? [clock.sleep(20_000)] : [])]).catch(() => {}));
        release();
        const [one, other] = await run(Promise.allSettled([slow, quick]));
        const succeeded = [
          ...(one?.status === 'fulfilled' ? [first] : []),
          ...(other?.status === 'fulfilled' ? [second] : []),
        ];
        const outcomes = outcomesOf(succeeded).map((stored) => ({ point, succeeded, stored }));
        expect(outcomes).toContainEqual({ point, succeeded, stored: await read() });
        // Both give up only if the lock was confirmed so slowly that it might expire during the write.
        if (!point.endsWith('locks.beginWriting'))
          expect({ point, succeeded }).not.toEqual({ point, succeeded: [] });
      }
    },
  );
});

describe('a rotation while a renewal waits for its token', () => {
  test.each([
    ['that comes after 5 s: keeps the refresh token that came', 5_000, 'first-refresh+', 5_000, 6_000],
    ['that takes too long: does not wait longer than 12 s', 25_000, 'first-refresh', 12_000, 13_000],
  ])('%s', async (_case, tokenMs, refresh, earliest, latest) => {
    const { ports, open, run, read, clock } = await aCredential(tokenMs);
    const startedAt = clock.now();
    const renewal = open(ports).renewal();
    renewal.catch(() => {});
    await run(clock.sleep(1)); // it waits for its token now
    await run(open(ports).rotate());
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(earliest);
    expect(clock.now() - startedAt).toBeLessThan(latest);
    expect(await read()).toEqual({ ...before, client: 'rotated-client', refresh });
    await run(Promise.allSettled([renewal]));
    expect(await read()).toMatchObject({ client: 'rotated-client' });
  });
});

test('an edit that fails keeps the refusal of the last renewal', async () => {
  const { ports, open, run } = await aCredential(0);
  const refusal = { reason: 'connect it again', revision: 1 };
  await ports.locks.take('crm', { holder: 'a', until: 1, isWriting: false }, 0);
  await ports.locks.release('crm', 'a', 0, refusal);
  const stale = open({ ...ports, store: { ...ports.store, findLatest: async () => null } });
  await expect(run(stale.rotate())).rejects.toMatchObject({ code: 'CREDENTIAL_CHANGED' });
  expect(await ports.locks.find('crm')).toMatchObject({ refusal });
  await run(open(ports).rotate());
  expect(await ports.locks.find('crm')).toMatchObject({ refusal: null });
});

test('an edit gives up after 18 s while another writes, and changes nothing', async () => {
  const { ports, open, run, read, clock } = await aCredential(0);
  const startedAt = clock.now();
  await ports.locks.take('crm', { holder: 'a', until: startedAt + 60_000, isWriting: true }, startedAt);
  await expect(run(open(ports).rotate())).rejects.toMatchObject({ code: 'CREDENTIAL_BUSY' });
  expect(clock.now() - startedAt).toBeLessThan(19_000);
  expect(await read()).toEqual(before);
});
