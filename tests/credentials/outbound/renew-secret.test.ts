import { createRandom, type HttpClient } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createRenewalLocks } from '../../../lib/adapters/dynamodb/limits/renewal-locks.ts';
import { createOutboundCredentials } from '../../../lib/credentials/outbound/outbound-credentials.ts';
import type { RenewalLocks } from '../../../lib/credentials/outbound/ports.ts';
import { renewInTurn } from '../../../lib/credentials/outbound/renew-secret.ts';
import type { SecretStore } from '../../../lib/credentials/outbound/secret-store.ts';
import credentialTypes from '../../../nodes/credential-types/credential-types.plugin.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { namePoints } from '../../support/named-points.ts';
import {
  inMemoryCallLimits,
  inMemoryLocks,
  inMemoryOutboundStore,
  inMemorySecrets,
  noTcp,
} from '../../support/outbound-credentials.ts';
import { describeRenewalLocks } from '../../support/renewal-locks-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';

describeRenewalLocks('memory', inMemoryLocks);

const TOKEN_URL = 'https://login.example.com/token';
const API = 'https://api.example.com/orders';

/** Refresh tokens that a server still accepts after it has replaced them. */
type Grace = 'none' | 'until its successor is used';

/**
 * Many sandboxes that share a credential, and a server that replaces its refresh tokens. One that is used again revokes
 * them all (RFC 9700 §4.14.2).
 */
const aFleet = async (grace: Grace = 'none') => {
  const { clock, run } = aVirtualClock();
  const secrets = inMemorySecrets();
  const locks = inMemoryLocks();
  const store = inMemoryOutboundStore();
  const server = {
    count: 1,
    usedUpTo: 0,
    isRevoked: false,
    requests: 0,
    failsFor: 0,
    tokenMs: 300,
    serial: 0,
    accepts: (refreshToken: number): boolean =>
      !server.isRevoked &&
      (grace === 'none' ? refreshToken === server.count : refreshToken >= Math.max(1, server.usedUpTo)),
  };
  const respond = (status: number, content: object = {}) => ({
    status,
    headers: {},
    body: new TextEncoder().encode(JSON.stringify(content)),
    stream: null,
    url: '',
  });
  const http: HttpClient = {
    request: async ({ url, body, headers = {} }) => {
      if (url !== TOKEN_URL)
        return respond(headers.authorization === `Bearer access-${server.serial}` ? 200 : 401);
      server.requests += 1;
      await clock.sleep(server.tokenMs);
      if (server.failsFor > 0) {
        server.failsFor -= 1;
        return respond(503);
      }
      const used = Number(new URLSearchParams(String(body)).get('refresh_token')?.split('-')[1]);
      if (!server.accepts(used)) {
        server.isRevoked = true;
        return respond(400, { error: 'invalid_grant' });
      }
      server.usedUpTo = used;
      server.serial += 1;
      server.count = used + 1;
      return respond(200, {
        access_token: `access-${server.serial}`,
        refresh_token: `refresh-${server.count}`,
        expires_in: 3_600,
      });
    },
  };
  const fields = { tokenUrl: TOKEN_URL, clientId: 'client', grant: 'authorizationCode' };
  const secret = JSON.stringify({ clientSecret: 'client-secret', refreshToken: 'refresh-1' });
  const reference = await secrets.put('crm', secret);
  await store.put({ id: 'crm', type: 'oauth2', fields, hosts: null, reference, revision: 1 });

  interface Ports {
    readonly secrets: SecretStore;
    readonly locks: RenewalLocks;
    readonly http: HttpClient;
  }
  /** A sandbox. @returns sends a request with the credential, and resolves to the status */
  const aSandbox = (seed: string, spoil: (ports: Ports) => Ports = (ports) => ports) => {
    const credentials = createOutboundCredentials({
      ...spoil({ secrets, locks, http }),
      store,
      clock,
      tcp: noTcp,
      random: createRandom(seed),
      limits: inMemoryCallLimits(),
      hostLimits: [],
      findType: async (id) => credentialTypes.credentialTypes?.find((type) => type.id === id) ?? null,
    });
    return async (): Promise<number> => {
      const credential = await (await credentials.open()).lend('crm', ['oauth2']);
      return (await credentials.request({ ...anOutboundRequest(API), credential })).status;
    };
  };
  const stored = () => JSON.parse(secrets.values.get('memory:crm') ?? '');
  return { aSandbox, server, clock, run, stored, locks };
};

const ok = (count: number) => Array<number>(count).fill(200);

describe('a token that fifty sandboxes need', () => {
  test('is requested once, when they have none and when it expires', async () => {
    const { aSandbox, server, clock, run, stored } = await aFleet();
    const fleet = Array.from({ length: 50 }, (_, at) => aSandbox(`${at}`));
    const sendAll = () => run(Promise.all(fleet.map((send) => send())));
    expect(await sendAll()).toEqual(ok(50));
    expect(server.requests).toBe(1);
    await run(clock.sleep(3_541_000));
    expect(await sendAll()).toEqual(ok(50));
    expect(server.requests).toBe(2);
    expect(stored()).toMatchObject({ refreshToken: 'refresh-3', accessToken: 'access-2' });
  });

  test('is requested once when the API refuses the one that all of them have', async () => {
    const { aSandbox, server, run } = await aFleet();
    const fleet = Array.from({ length: 50 }, (_, at) => aSandbox(`${at}`));
    await run(Promise.all(fleet.map((send) => send())));
    server.serial += 1;
    expect(await run(Promise.all(fleet.map((send) => send())))).toEqual(ok(50));
    expect(server.requests).toBe(2);
  });

  test('is requested by another when the first request fails, which fails one of them', async () => {
    const { aSandbox, server, run } = await aFleet();
    server.failsFor = 1;
    const sent = Array.from({ length: 50 }, (_, at) => aSandbox(`${at}`)());
    const settled = await run(Promise.allSettled(sent));
    const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(failed).toMatchObject([{ code: 'OUTBOUND_FAILED' }]);
    expect(server.requests).toBe(2);
  });

  test('fails those that have waited for 35 s, when no request is answered in time', async () => {
    const { aSandbox, server, clock, run } = await aFleet();
    server.failsFor = 100;
    server.tokenMs = 10_000;
    const startedAt = clock.now();
    const sent = Array.from({ length: 50 }, (_, at) => aSandbox(`${at}`)());
    const settled = await run(Promise.allSettled(sent));
    const reasons = settled.map((one) => (one.status === 'rejected' ? one.reason : null));
    const waited = reasons.filter((reason) => reason?.name === 'CredentialUnavailable');
    expect(waited[0]?.message).toBe('other executions have been renewing credential "crm" for 35 s');
    expect(server.requests).toBe(reasons.length - waited.length);
    expect(server.requests).toBeLessThan(6);
    expect(clock.now() - startedAt).toBeLessThan(50_000);
  });
});

describe('a sandbox that waits for another, which holds the lock', () => {
  /** @param random - 0 for the shortest intervals between looks at the lock, 1 for the longest */
  const aWaiter = async (random: number, heldMs: number) => {
    const { clock, run } = aVirtualClock();
    const startedAt = clock.now();
    const locks = inMemoryLocks();
    await locks.take('crm', { holder: 'a', until: startedAt + heldMs, isWriting: false }, startedAt);
    /** What the sandbox does, and after how many milliseconds. */
    const calls: string[] = [];
    const note = (call: string): void => void calls.push(`${clock.now() - startedAt} ${call}`);
    const watched: RenewalLocks = {
      find: (id) => {
        note('find');
        return locks.find(id);
      },
      take: (id, lock, now) => {
        note('take');
        return locks.take(id, lock, now);
      },
      release: (...args) => {
        note('release');
        return locks.release(...args);
      },
      takeOver: locks.takeOver,
      beginWriting: (...args) => {
        note('beginWriting');
        return locks.beginWriting(...args);
      },
    };
    let stored = 'old';
    const renew = (spoiled: Partial<RenewalLocks> = {}) =>
      run(
        renewInTurn(
          'crm',
          { locks: { ...watched, ...spoiled }, clock, random: () => random },
          {
            read: async () => {
              note('read');
              return stored;
            },
            isRenewed: (secret) => secret === 'new',
            renew: async (secret) => {
              note('renew');
              return `${secret}, renewed`;
            },
            write: async () => note('write'),
            toRefusal: () => null,
          },
        ),
      );
    const schedule = (ms: number, act: () => unknown) => void clock.sleep(ms).then(act);
    const store = (secret: string) => {
      stored = secret;
    };
    return { calls, locks, renew, schedule, store, startedAt };
  };

  const renewing = ['take', 'read', 'renew', 'beginWriting', 'write', 'release'];

  test.each([
    [0, [0, 200, 400, 600, 800]],
    [1, [0, 400, 800]],
  ])(
    'looks at it at random intervals (%d): after %j ms, and takes it when it expires',
    async (random, looks) => {
      const { renew, calls } = await aWaiter(random, 800);
      expect(await renew()).toBe('old, renewed');
      expect(calls).toEqual([
        '0 take',
        ...looks.map((ms) => `${ms} find`),
        '800 read',
        ...renewing.map((call) => `800 ${call}`),
      ]);
    },
  );

  test('reads the secret when yet another has taken the lock, and releases nothing', async () => {
    const { renew, calls, locks, schedule, store, startedAt } = await aWaiter(1, 20_000);
    schedule(100, async () => {
      store('new');
      await locks.release('crm', 'a', 0, null);
      await locks.take('crm', { holder: 'b', until: startedAt + 20_000, isWriting: false }, startedAt + 100);
    });
    expect(await renew()).toBe('new');
    expect(calls).toEqual(['0 take', '0 find', '400 find', '400 read']);
  });

  test('waits for nothing if the lock is released before the first look', async () => {
    const { renew, calls, locks } = await aWaiter(1, 20_000);
    const find: RenewalLocks['find'] = async (id) => {
      await locks.release(id, 'a', 0, null);
      return locks.find(id);
    };
    expect(await renew({ find })).toBe('old, renewed');
    expect(calls).toEqual(['0 take', '0 read', ...renewing.map((call) => `0 ${call}`)]);
  });

  test.each([
    ['is still held', 60_000],
    ['is released then, with the old secret', 34_900],
  ])('gives up after 35 s when the lock %s', async (_case, releasedMs) => {
    const { renew, calls, locks, schedule } = await aWaiter(0, 60_000);
    schedule(releasedMs, () => locks.release('crm', 'a', 0, null));
    await expect(renew()).rejects.toMatchObject({ name: 'CredentialUnavailable' });
    const last = releasedMs < 35_000 ? 'read' : 'find';
    expect(calls.at(-1)).toBe(`35000 ${last}`);
  });
});

describe('two sandboxes that renew at once, with locks on DynamoDB', () => {
  const openDatabase = useTestDatabases();

  const aRace = async () => {
    const { client, tables } = await openDatabase();
    let [stored, renewals, now] = ['old', 0, 1_000];
    const { ports, hold } = namePoints({
      locks: createRenewalLocks(client, tables),
      renew: async () => `new ${++renewals}`,
    });
    const renew = () =>
      renewInTurn(
        'crm',
        { locks: ports.locks, clock: { now: () => now, sleep: async () => {} }, random: () => 0 },
        {
          read: async () => stored,
          isRenewed: (secret) => secret !== 'old',
          renew: ports.renew,
          write: async (secret) => {
            stored = secret;
          },
          toRefusal: () => null,
        },
      );
    const pass = (ms: number) => {
      now += ms;
    };
    return { hold, renew, pass, locks: ports.locks, renewals: () => renewals };
  };

  test('renew once, and both have what was stored', async () => {
    const { hold, renew, renewals } = await aRace();
    const points = [hold('locks.take:before'), hold('locks.take:before')];
    const [renewal, look] = [hold('renew:before'), hold('locks.find:after')];
    const renewed = [renew(), renew()];
    await Promise.all(points.map(({ reached }) => reached));
    for (const { release } of points) release();
    await Promise.all([renewal.reached, look.reached]);
    look.release();
    renewal.release();
    expect([await Promise.all(renewed), renewals()]).toEqual([['new 1', 'new 1'], 1]);
  });

  test('of which one is late leave the lock to the one that has taken it since', async () => {
    const { hold, renew, pass, locks } = await aRace();
    const release = hold('locks.release:before');
    const late = renew();
    await release.reached;
    pass(30_000);
    expect(await locks.take('crm', { holder: 'b', until: 61_000, isWriting: false }, 31_000)).toBe(true);
    release.release();
    await late;
    expect(await locks.find('crm')).toMatchObject({ holder: 'b', until: 61_000 });
  });
});

test('a refresh token that was revoked asks for a person to connect the credential again', async () => {
  const { aSandbox, server, run, locks } = await aFleet();
  server.isRevoked = true;
  await expect(run(aSandbox('a')())).rejects.toMatchObject({
    code: 'CREDENTIAL_REJECTED',
    message: expect.stringContaining('connect it again'),
  });
  const reason = expect.stringContaining('connect it again');
  expect((await locks.find('crm'))?.refusal).toEqual({ reason, revision: 1 });
});

/** Makes the process end at a call, before or after it takes effect: that call and all later ones never settle. */
const endAt = (fatal: number, when: 'before' | 'after', onEnd: (call: string) => void) => {
  let calls = 0;
  let isEnded = false;
  const never = new Promise<never>(() => {});
  const watch = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || name === 'referenceOf') return method;
        return async (...args: readonly unknown[]) => {
          if (isEnded) return never;
          const isFatal = calls++ === fatal;
          if (!isFatal) {
            const result = await method(...args);
            return isEnded ? never : result;
          }
          isEnded = true;
          onEnd(`${when} ${String(name)}`);
          if (when === 'after') await method(...args);
          return never;
        };
      },
    });
  return watch;
};

describe.each<Grace>(['none', 'until its successor is used'])('a server whose grace is %s', (grace) => {
  test.each(['before', 'after'] as const)(
    'a process that ends %s any call leaves a secret that the next one renews',
    async (when) => {
      const ends: string[] = [];
      for (let fatal = 0; ; fatal++) {
        const fleet = await aFleet(grace);
        let end: string | null = null;
        const watch = endAt(fatal, when, (call) => {
          end = call;
        });
        const first = fleet.aSandbox('a', ({ secrets, locks, http }) => ({
          secrets: watch(secrets),
          locks: watch(locks),
          http: watch(http),
        }));
        const ended = first().then(() => 'lived');
        await fleet.run(Promise.race([ended, fleet.clock.sleep(20_000)]));
        const outcome = await fleet.run(fleet.aSandbox('b')()).catch((error: Error) => error.message);
        if (end === null) break;
        ends.push(end);
        // The server has replaced the token, and what it answered is lost with the process.
        const isLost =
          grace === 'none' &&
          ['after request', 'before beginWriting', 'after beginWriting', 'before put'].includes(end);
        expect([end, outcome]).toEqual([
          end,
          isLost && fleet.server.serial === 1 && fleet.stored().accessToken === undefined
            ? expect.stringContaining('connect it again')
            : 200,
        ]);
      }
      expect(ends).toEqual(
        expect.arrayContaining(
          ['take', 'get', 'request', 'beginWriting', 'put', 'release'].map((name) => `${when} ${name}`),
        ),
      );
    },
  );
});
