import type { CredentialType, PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createHealthRoutes } from '../../lib/app/health.ts';
import { testCredential } from '../../lib/credentials/outbound/test-credential.ts';
import type { InspectParts } from '../../lib/health/inspect.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { bodyOf } from '../support/a-problem.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anEvent } from '../support/an-api-event.ts';
import { anInspection, emptyStores } from '../support/an-inspection.ts';
import {
  aServer,
  inMemoryCallLimits,
  inMemoryLocks,
  inMemoryOutboundStore,
  inMemorySecrets,
  noTcp,
} from '../support/outbound-credentials.ts';

const SECRET = 'the-secret-of-acme';

const acmeToken: CredentialType = {
  id: 'acmeToken',
  name: 'Acme token',
  description: 'A token of Acme',
  schema: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
  secretFields: ['token'],
};

const acme = (changes: Partial<PluginProvider> = {}) =>
  aProvider({
    id: 'acme',
    handles: [aHandle({ id: 'send', credentialTypes: ['acmeToken'] })],
    credentialTypes: [acmeToken],
    ...changes,
  });

/** A workflow that sends with these credentials. */
const aSender = (...credentialIds: string[]): WorkflowDefinition => ({
  id: 'sender',
  name: 'Sender',
  enabled: true,
  nodes: credentialIds.map((credentialId, at) => ({
    id: `send${at}`,
    type: 'send',
    credentialId,
    parameters: {},
  })),
  connections: [],
});

type Stores = InspectParts['stores'];

/** The endpoint over one plugin, with all parts but the tables; `reads` counts those of the workflows. */
const anEndpoint = async ({
  clock = aManualClock(),
  plugin = acme(),
  workflow = aSender(),
  listWorkflows = async () => ({ definitions: [workflow], ids: ['sender'], isComplete: true }),
  limits = {},
  runs = emptyStores().runs,
}: {
  readonly clock?: InspectParts['clock'];
  readonly plugin?: PluginProvider;
  readonly workflow?: WorkflowDefinition;
  readonly listWorkflows?: Stores['listWorkflows'];
  readonly runs?: Stores['runs'];
  readonly limits?: InspectParts['limits'] & object;
} = {}) => {
  const { logger, entries } = aRecordingLogger();
  const [outbound, secrets, locks] = [inMemoryOutboundStore(), inMemorySecrets(), inMemoryLocks()];
  let reads = 0;
  const registry = await loadRegistry([installedUnified(plugin, 'acme')], { logger, clock });
  const findType = async (id: string) => registry.credentialTypes.get(id) ?? null;
  const parts = {
    store: outbound,
    secrets,
    findType,
    http: aServer(),
    tcp: noTcp,
    clock,
    random: Math.random,
    locks,
    limits: inMemoryCallLimits(),
    hostLimits: [],
  };
  const inspect = anInspection(clock, {
    stores: {
      outbound,
      renewals: locks,
      runs,
      listWorkflows: () => {
        reads += 1;
        return listWorkflows();
      },
    },
    logger,
    limits,
    openTest: () => (id, signal) => testCredential(id, parts, signal),
  });
  const loadRegistryOnce = async () => registry;
  const handler = createHealthRoutes({
    logger,
    clock,
    inspect,
    loadRegistry: loadRegistryOnce,
    pluginDeadlineMs: 2_000,
    openTests: () => Promise.reject(new Error('unused')),
    openStored: () => Promise.reject(new Error('unused')),
  }) as (event: unknown, context: unknown) => Promise<{ body?: string }>;
  return {
    clock,
    entries,
    locks,
    reads: () => reads,
    get: async ({ query: rawQueryString = '', isLive = false } = {}) => {
      const path = '/api/admin/plugins/health';
      const event = isLive ? anEvent({ method: 'POST', path: `${path}/live` }) : anEvent({ path });
      return bodyOf(await handler({ ...event, rawQueryString }, {}));
    },
    put: async (id: string) => {
      const reference = await secrets.put(id, JSON.stringify({ token: SECRET }));
      await outbound.put({
        id,
        type: 'acmeToken',
        fields: {},
        hosts: ['acme.example.com'],
        reference,
        revision: 1,
      });
    },
  };
};

const testing = (test: CredentialType['test'] & object) =>
  acme({ credentialTypes: [{ ...acmeToken, test }] });

describe('an invalid schema', () => {
  test('of a node type is named with its place', async () => {
    const schema = { properties: { to: { $ref: '#/$defs/address' } } };
    const { get } = await anEndpoint({ plugin: acme({ handles: [aHandle({ id: 'send', schema })] }) });
    expect((await get()).plugins.acme).toMatchObject({
      status: 'unhealthy',
      message:
        'the schema of the node type "send" is not valid at /properties/to/$ref: ' +
        'refers to #/$defs/address, which is not in the schema',
    });
  });

  test('of a credential type is named as well', async () => {
    const schema = { ...acmeToken.schema, properties: { token: { type: 'string', minLength: -1 } } };
    const { get } = await anEndpoint({ plugin: acme({ credentialTypes: [{ ...acmeToken, schema }] }) });
    expect((await get()).plugins.acme.message).toBe(
      'the schema of the credential type "acmeToken" is not valid at /properties/token/minLength: must be >= 0',
    );
  });

  test('is named only for some of many', async () => {
    const handles = Array.from({ length: 9 }, (_, at) =>
      aHandle({ id: `send${at}`, schema: { minLength: 'x' } }),
    );
    const { get } = await anEndpoint({
      plugin: acme({ handles, healthCheck: () => ({ status: 'warning', message: 'slow' }) }),
    });
    const { status, message } = (await get()).plugins.acme;
    expect(status).toBe('unhealthy');
    expect(message).toMatch(/^slow; .*send0.*; .*send3.*; and 5 more$/);
    expect(message).not.toContain('send4');
  });
});

describe('a credential whose renewal was refused', () => {
  const reason = 'it said invalid_grant, so a person has to connect it again';
  test.each([
    [1, 'unhealthy'],
    [2, 'healthy'],
  ])('at revision %d is %s at revision 1, without a live test', async (revision, status) => {
    const { get, put, locks, clock } = await anEndpoint({ workflow: aSender('a') });
    await put('a');
    await locks.take('a', { holder: 'one', until: clock.now() + 30_000, isWriting: false }, clock.now());
    await locks.release('a', 'one', clock.now(), { reason, revision });
    expect((await get()).plugins.acme.credentials.a).toMatchObject({
      status,
      ...(status === 'healthy' ? {} : { message: `it was refused when it was last renewed: ${reason}` }),
    });
  });
});

describe('a live test', () => {
  test('that the type lacks is not made, and the report says so', async () => {
    const { get, put } = await anEndpoint({ workflow: aSender('a') });
    await put('a');
    expect((await get({ isLive: true })).plugins.acme).toMatchObject({
      status: 'healthy',
      credentials: { a: { status: 'healthy', tested: false, message: expect.stringMatching(/^not tested/) } },
    });
  });

  test('that hangs is one unhealthy credential within the time limit', async () => {
    const { clock, run } = aVirtualClock();
    const plugin = testing(() => new Promise(() => {}));
    const { get, put } = await run(anEndpoint({ clock, plugin, workflow: aSender('a', 'b') }));
    await Promise.all([put('a'), put('b')]);
    const before = clock.now();
    const { plugins } = await run(get({ isLive: true }));
    expect(clock.now() - before).toBe(4_000);
    const hung = { status: 'unhealthy', message: 'no result within 4000 ms', tested: true };
    expect(plugins.acme).toMatchObject({ status: 'unhealthy', credentials: { a: hung, b: hung } });
  });

  test.each<[string, CredentialType['test'] & object]>([
    [
      'throws its secret',
      async ({ token }) => {
        throw new Error(`${token} is wrong`);
      },
    ],
    ['returns its secret', async ({ token }) => ({ status: 'unhealthy', message: `${token} is wrong` })],
  ])('that %s leaves no trace of it', async (_case, test) => {
    const { get, put, entries } = await anEndpoint({ plugin: testing(test), workflow: aSender('a') });
    await put('a');
    const report = await get({ isLive: true });
    expect(report.plugins.acme.credentials.a).toMatchObject({ message: '[redacted] is wrong' });
    expect(JSON.stringify([report, entries])).not.toContain(SECRET);
  });

  test('is made for a limited number', async () => {
    const ids = ['a', 'b', 'c'];
    const plugin = testing(async () => ({ status: 'healthy' }));
    const { get, put } = await anEndpoint({ plugin, workflow: aSender(...ids), limits: { maxProbes: 2 } });
    for (const id of ids) await put(id);
    const { status, plugins } = await get({ isLive: true });
    expect(status).toBe('healthy');
    expect(ids.map((id) => plugins.acme.credentials[id].tested)).toEqual([true, true, false]);
  });
});

describe('a report beyond its limits', () => {
  test('of workflows does not say whether a plugin is configured', async () => {
    const listWorkflows = async () => ({ definitions: [], ids: [], isComplete: false });
    const { get } = await anEndpoint({ listWorkflows });
    const { plugins, coverage } = await get();
    expect(plugins.acme).not.toHaveProperty('configured');
    expect(coverage).toMatchObject({ workflows: { complete: false }, executions: { complete: false } });
  });

  test('of credentials says so', async () => {
    const { get, put } = await anEndpoint({ workflow: aSender('a', 'b'), limits: { maxCredentials: 1 } });
    await put('a');
    const { plugins, coverage } = await get();
    expect(Object.keys(plugins.acme.credentials)).toEqual(['a']);
    expect(coverage.credentials).toEqual({ read: 1, complete: false });
  });

  test('of executions says so: the share comes from a sample', async () => {
    const runs: Stores['runs'] = {
      find: async (_workflow, _from, limit) => ({
        ids: Array.from({ length: limit }, (_, at) => `e-${at}`),
        hasMore: true,
      }),
      read: async (ids) =>
        ids.map(() => ({ nodes: [{ type: 'send', status: 'succeeded' }], nodesOmitted: 0 })),
    };
    const { get } = await anEndpoint({ runs, limits: { maxExecutions: 7 } });
    const { plugins, coverage } = await get();
    expect(plugins.acme.runs).toEqual({ send: { runs: 7, failed: 0, share: 0 } });
    expect(coverage.executions).toMatchObject({ read: 7, complete: false });
  });
});

describe('a report', () => {
  test('is cached for five seconds by its query; stored data is read once for all queries', async () => {
    const clock = aManualClock();
    const { get, reads } = await anEndpoint({ clock });
    const first = await get();
    clock.advance(2_000);
    const one = await get({ query: 'plugin=acme' });
    clock.advance(2_999);
    expect(await get({ query: 'plugin=' })).toEqual(first);
    expect([first.generatedAt, one.generatedAt, reads()]).toEqual([
      '2023-11-14T22:13:20.000Z',
      '2023-11-14T22:13:22.000Z',
      1,
    ]);
    clock.advance(1);
    expect((await get()).generatedAt).toBe('2023-11-14T22:13:25.000Z');
    expect(reads()).toBe(2);
  });

  test('is shared by requests that arrive meanwhile', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const listWorkflows = async () => {
      await gate;
      return { definitions: [], ids: [], isComplete: true };
    };
    const { get, reads } = await anEndpoint({ listWorkflows });
    const both = Promise.all([get(), get()]);
    release();
    const [first, second] = await both;
    expect(first).toEqual(second);
    expect(reads()).toBe(1);
  });
});

describe('a store', () => {
  test('that fails is tried again by the next report', async () => {
    const clock = aManualClock();
    let isDown = true;
    const listWorkflows = async () => {
      if (isDown) throw new AppError(STORE_UNAVAILABLE, {}, new Error('secret address'));
      return { definitions: [], ids: [], isComplete: true };
    };
    const { get, entries } = await anEndpoint({ clock, listWorkflows });
    const report = await get({ isLive: true });
    expect(report).toMatchObject({
      status: 'degraded',
      checks: { store: { status: 'unhealthy' } },
      coverage: null,
      plugins: { acme: { status: 'healthy' } },
    });
    expect(JSON.stringify(report)).not.toContain('secret address');
    expect(entries).toContainEqual(expect.objectContaining({ message: 'stored facts not read' }));
    isDown = false;
    clock.advance(5_000);
    expect(await get({ isLive: true })).toMatchObject({
      status: 'healthy',
      checks: { store: { status: 'healthy' } },
    });
  });

  test('that does not respond costs a report five seconds', async () => {
    const { clock, run } = aVirtualClock();
    const { get } = await run(anEndpoint({ clock, listWorkflows: () => new Promise(() => {}) }));
    const before = clock.now();
    expect(await run(get())).toMatchObject({ status: 'degraded', coverage: null });
    expect(clock.now() - before).toBe(5_000);
  });
});
