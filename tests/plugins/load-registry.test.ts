import type { PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { describePlugin } from '../../lib/plugins/reference/describe-plugin.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { cases } from '../support/deep.ts';

/** The registry, and its plugins as they turned out once all are initialised. */
const load = async (installed: readonly InstalledPlugin[], disabled: readonly string[] = []) => {
  const { clock, run } = aVirtualClock();
  const registry = await run(loadRegistry(installed, { logger: silent, clock, disabled }));
  return { ...registry, plugins: await run(registry.initialise()) };
};

/** Of each plugin: `loaded`, or why not. */
const outcomes = async (installed: readonly InstalledPlugin[]) =>
  (await load(installed)).plugins.map((entry) => (entry.status === 'loaded' ? 'loaded' : entry.error));

const another = (changes: Partial<PluginProvider> = {}) =>
  installedUnified(aProvider({ id: 'another', handles: [aHandle({ id: 'other' })], ...changes }), 'another');

test.each([
  ['0.3.0', 'loaded'],
  ['0.10.0', 'loaded'],
  ['0.2.9', 'it needs version 0.3.0 of the service or later; this is 0.2.9'],
  ['0.3.0-beta.1', 'it needs version 0.3.0 of the service or later; this is 0.3.0-beta.1'],
  [undefined, 'loaded'],
])('in a service of version %s, a plugin that needs 0.3.0 is %s', async (serviceVersion, outcome) => {
  const { clock, run } = aVirtualClock();
  const installed = [installedUnified(aProvider({ minimumServiceVersion: '0.3.0' }))];
  const version = serviceVersion === undefined ? {} : { serviceVersion };
  const { plugins } = await run(loadRegistry(installed, { logger: silent, clock, ...version }));
  expect(plugins).toMatchObject([outcome === 'loaded' ? { status: outcome } : { error: outcome }]);
});

describe('a valid plugin', () => {
  test('is loaded, and its node types are found', async () => {
    const registry = await load([installedUnified(aProvider()), installedLegacy(aLegacyProvider())]);
    expect(registry.plugins.map(({ status }) => status)).toEqual(['loaded', 'loaded']);
    expect(registry.findNodeType('greet')).toMatchObject({ kind: 'action', pure: true });
    expect(registry.findNodeType('ring')).toMatchObject({ kind: 'trigger', pure: true });
    expect(registry.findNodeType('unknown')).toBeNull();
    expect(registry.findNodeType('__proto__')).toBeNull();
  });

  test('has a JSON Schema for its legacy properties', async () => {
    const properties = [
      { name: 'url', displayName: 'URL', type: 'string', required: true, description: 'Where to' },
      { name: 'size', displayName: 'Size', type: 'options', options: ['s', 'l'], default: 's' },
      { name: 'body', displayName: 'Body', type: 'any' },
    ] as const;
    const registry = await load([installedLegacy(aLegacyProvider({ properties }), { kind: 'action' })]);
    expect(registry.findNodeType('ring')).toMatchObject({
      pure: false,
      schema: {
        type: 'object',
        required: ['url'],
        additionalProperties: false,
        properties: {
          url: { title: 'URL', type: 'string', description: 'Where to' },
          size: { title: 'Size', type: 'string', enum: ['s', 'l'], default: 's' },
          body: { title: 'Body' },
        },
      },
    });
  });

  test('has its executor created once, on first use, and again after a failure', async () => {
    let calls = 0;
    const registry = await load([
      installedLegacy(
        aLegacyProvider({
          getExecutor: () => {
            calls++;
            if (calls === 1) throw new Error('not yet');
            return { getNodeType: () => 'ring', execute: () => ({}) };
          },
        }),
      ),
    ]);
    const nodeType = registry.findNodeType('ring');
    expect(calls).toBe(0);
    await expect(nodeType?.getExecutor()).rejects.toThrow('not yet');
    const executor = await nodeType?.getExecutor();
    expect(await nodeType?.getExecutor()).toBe(executor);
    expect(calls).toBe(2);
  });

  test('has its handles run as methods of their own', async () => {
    const handle = {
      ...aHandle(),
      word: 'Hi',
      execute() {
        return { greeting: this.word };
      },
    };
    const registry = await load([installedUnified(aProvider({ handles: [handle] }))]);
    const executor = await registry.findNodeType('greet')?.getExecutor();
    expect(executor?.getNodeType()).toBe('greet');
    expect(executor?.execute({} as never, {}, {} as never)).toEqual({ greeting: 'Hi' });
  });
});

describe('an invalid plugin does not affect others', () => {
  test.each<[string, InstalledPlugin, string]>([
    [
      'a module that throws',
      { ...installedUnified(null), load: () => Promise.reject(new Error('no vendor\nat stack')) },
      'no vendor',
    ],
    [
      'a module that never resolves',
      { ...installedUnified(null), load: () => new Promise(() => {}) },
      'no result within 2000 ms',
    ],
    [
      'nothing exported',
      installedUnified(undefined),
      'its metadata is invalid: the export must be a provider, not undefined',
    ],
    [
      'a getter that throws',
      installedUnified({
        get id() {
          throw new Error('odd getter');
        },
      }),
      'odd getter',
    ],
    [
      'another id than in the list',
      installedUnified(aProvider({ id: 'else' })),
      'its metadata is invalid: id must be "greeter", as in the list of installed plugins, not "else"',
    ],
    [
      'init that throws',
      installedUnified(
        aProvider({
          init: () => {
            throw new Error('no licence');
          },
        }),
      ),
      'its init failed: no licence',
    ],
    [
      'init that hangs',
      installedUnified(aProvider({ init: () => new Promise(() => {}) })),
      'its init failed: no result within 2000 ms',
    ],
    [
      'a node type twice',
      installedUnified(aProvider({ handles: [aHandle(), aHandle()] })),
      'it declares the node type "greet" twice',
    ],
    [
      'a thrown thing that cannot be described',
      {
        ...installedUnified(null),
        load: () =>
          Promise.reject({
            toString: () => {
              throw new Error('no');
            },
          }),
      },
      'an error that cannot be described',
    ],
    [
      'a message that begins with a line break',
      { ...installedUnified(null), load: () => Promise.reject(new Error('\nthe reason\r\nat stack')) },
      'the reason',
    ],
    [
      'a thrown nothing',
      { ...installedUnified(null), load: () => Promise.reject('') },
      'an error without a message',
    ],
    [
      'a very long message',
      { ...installedUnified(null), load: () => Promise.reject(new Error('x'.repeat(900))) },
      `${'x'.repeat(499)}…`,
    ],
  ])('%s', async (_case, broken, reason) => {
    expect(await outcomes([broken, another()])).toEqual([reason, 'loaded']);
  });

  test.each<[string, unknown]>([
    ['id', ''],
    ['id', '__proto__'],
    ['id', 'with space'],
    ['name', '  '],
    ['name', 7],
    ['version', '1.2'],
    ['version', 'latest'],
    ['description', undefined],
    ['description', 'x'.repeat(2_001)],
    ['category', null],
    ['handles', []],
    ['handles', 'none'],
    ['dependencies', {}],
    ['dependencies', null],
    ['init', 'soon'],
    ['destroy', 1],
    ['healthCheck', true],
  ])('a unified provider whose %s is %j', async (field, value) => {
    const [reason] = await outcomes([installedUnified({ ...aProvider(), [field]: value })]);
    expect(reason).toMatch(new RegExp(`^its metadata is invalid: ${field} must be `));
  });

  test.each<[string, unknown]>([
    ['id', 'a/b'],
    ['name', ''],
    ['description', 3],
    ['kind', 'both'],
    ['schema', null],
    ['schema', []],
    ['execute', {}],
    ['pure', 'yes'],
  ])('a handle whose %s is %j', async (field, value) => {
    const [reason] = await outcomes([
      installedUnified(aProvider({ handles: [{ ...aHandle(), [field]: value }] })),
    ]);
    expect(reason).toMatch(new RegExp(`^its metadata is invalid: handles\\[0\\]\\.${field} must be `));
  });

  test.each<[string, unknown]>([
    ['nodeType', 'constructor'],
    ['displayName', ''],
    ['description', null],
    ['category', 1],
    ['version', 'one'],
    ['properties', undefined],
    ['getExecutor', undefined],
    ['healthCheck', 'fine'],
    ['pure', 1],
  ])('a legacy provider whose %s is %j', async (field, value) => {
    const [reason] = await outcomes([installedLegacy({ ...aLegacyProvider(), [field]: value })]);
    expect(reason).toMatch(new RegExp(`^its metadata is invalid: ${field} must be `));
  });

  test.each(['__proto__', 'constructor', 'prototype'])('%s is not a node type', async (name) => {
    const [handle] = await outcomes([installedUnified(aProvider({ handles: [aHandle({ id: name })] }))]);
    expect(handle).toContain('handles[0].id must be 1 to 64 of A-Z a-z 0-9 . _ - and not a reserved name');
    const legacy = installedLegacy(aLegacyProvider({ nodeType: name }), { id: name });
    expect((await outcomes([legacy]))[0]).toContain('nodeType must be 1 to 64 of');
  });

  test('is logged with its reason', async () => {
    const { logger, entries } = aRecordingLogger();
    const { clock, run } = aVirtualClock();
    await run(loadRegistry([installedUnified(null), another()], { logger, clock }));
    expect(entries).toEqual([
      {
        level: 'error',
        message: 'plugin not loaded',
        fields: {
          plugin: 'greeter',
          reason: 'its metadata is invalid: the export must be a provider, not null',
        },
      },
    ]);
  });

  test.each<[string, unknown]>([
    ['pluginId', 'a b'],
    ['pluginId', undefined],
    ['version', 'not a range'],
    ['version', Object.create(null)],
    ['optional', 'yes'],
  ])('a dependency whose %s is invalid', async (field, value) => {
    const dependencies = [{ pluginId: 'another', [field]: value }] as never;
    const [reason, other] = await outcomes([installedUnified(aProvider({ dependencies })), another()]);
    expect(reason).toMatch(new RegExp(`^its metadata is invalid: dependencies\\[0\\]\\.${field} must be `));
    expect(other).toBe('loaded');
  });

  const withHole: unknown[] = [aHandle({ id: 'one' })];
  withHole[2] = aHandle({ id: 'three' });
  test.each<[string, InstalledPlugin, string]>([
    [
      'a dependency that is null',
      installedUnified(aProvider({ dependencies: [null] as never })),
      'dependencies[0] must be an object, not null',
    ],
    [
      'a list of handles with a hole',
      installedUnified(aProvider({ handles: withHole as never })),
      'handles[1] must be an object, not undefined',
    ],
    [
      'a legacy provider of another node type than in the list',
      installedLegacy(aLegacyProvider({ nodeType: 'else' })),
      'nodeType must be "ring", as in the list of installed plugins, not "else"',
    ],
    [
      'a legacy property twice',
      installedLegacy(
        aLegacyProvider({
          properties: [
            { name: 'tone', displayName: 'Tone', type: 'string' },
            { name: 'tone', displayName: 'Tone', type: 'number' },
          ],
        }),
      ),
      'properties must not contain "tone" twice',
    ],
    ...[
      { name: '__proto__' },
      { required: 'yes' },
      { description: 7 },
      { type: 'options' },
      { options: 'high' },
      { options: [] },
      { options: [1] },
    ].map((change): [string, InstalledPlugin, string] => {
      const [field = ''] = Object.keys(change);
      const named = field === 'type' ? 'options' : field;
      const property = { name: 'tone', displayName: 'Tone', type: 'string', ...change };
      return [
        `a legacy property with ${JSON.stringify(change)}`,
        installedLegacy({ ...aLegacyProvider(), properties: [property] }),
        `properties[0].${named} must be`,
      ];
    }),
  ])('%s', async (_case, broken, problem) => {
    const [reason, other] = await outcomes([broken, another()]);
    expect(reason).toContain(`its metadata is invalid: ${problem}`);
    expect(other).toBe('loaded');
  });

  test('a legacy property of an unknown type, with every other problem of it', async () => {
    const properties = [{ name: '', displayName: 'Tone', type: 'colour' }];
    const [reason] = await outcomes([installedLegacy({ ...aLegacyProvider(), properties })]);
    expect(reason).toContain('properties[0].name must be a string');
    expect(reason).toContain('properties[0].type must be one of string, number');
  });
});

describe('duplicate names', () => {
  test('the first plugin in the list gets the node type; the other’s error names both', async () => {
    const second = another({ handles: [aHandle({ id: 'other' }), aHandle({ id: 'greet' })] });
    expect(await outcomes([installedUnified(aProvider()), second])).toEqual([
      'loaded',
      'its node type "greet" already belongs to the plugin "greeter"',
    ]);
  });

  test('an excluded plugin claims none of its node types', async () => {
    const second = another({ handles: [aHandle({ id: 'other' }), aHandle({ id: 'greet' })] });
    const registry = await load([installedUnified(aProvider()), second]);
    expect(registry.findNodeType('other')).toBeNull();
  });

  test('a second plugin with the same id is excluded', async () => {
    expect(
      await outcomes([
        installedUnified(aProvider()),
        installedUnified(aProvider({ handles: [aHandle({ id: 'x' })] })),
      ]),
    ).toEqual(['loaded', 'an earlier plugin in the list has the same id, "greeter"']);
  });
});

describe('dependencies', () => {
  const depending = (dependencies: PluginProvider['dependencies'], changes: Partial<PluginProvider> = {}) =>
    another({ ...(dependencies === undefined ? {} : { dependencies }), ...changes });

  test.each<[string, NonNullable<PluginProvider['dependencies']>, string]>([
    [
      'that is not there',
      [{ pluginId: 'missing' }],
      'it depends on the plugin "missing", which is not installed or has invalid metadata',
    ],
    [
      'that is too old',
      [{ pluginId: 'greeter', version: '^2.0.0' }],
      'it depends on the plugin "greeter" ^2.0.0, but 1.2.3 is installed',
    ],
    ['that fits', [{ pluginId: 'greeter', version: '^1.2.0' }], 'loaded'],
    ['of any version', [{ pluginId: 'greeter' }], 'loaded'],
    ['that is optional and not there', [{ pluginId: 'missing', optional: true }], 'loaded'],
  ])('one %s', async (_case, dependencies, outcome) => {
    expect(await outcomes([depending(dependencies), installedUnified(aProvider())])).toEqual([
      outcome,
      'loaded',
    ]);
  });

  test('a missing optional one is a warning', async () => {
    const registry = await load([depending([{ pluginId: 'missing', optional: true }])]);
    expect(registry.plugins[0]).toMatchObject({
      warnings: ['it depends on the plugin "missing", which is not installed or has invalid metadata'],
    });
  });

  test('a failed optional one is a warning', async () => {
    const broken = installedUnified(aProvider({ init: () => Promise.reject(new Error('down')) }));
    const registry = await load([depending([{ pluginId: 'greeter', optional: true }]), broken]);
    expect(registry.plugins[0]).toMatchObject({
      status: 'loaded',
      warnings: ['it depends on the plugin "greeter", which is not loaded'],
    });
  });

  test('later changes by a plugin to its metadata have no effect', async () => {
    const dependencies = [{ pluginId: 'another' }];
    const greeter = aProvider({
      dependencies,
      init: () => {
        dependencies.push(null as never);
      },
    });
    const registry = await load([installedUnified(greeter), another()]);
    expect(registry.plugins[0]?.plugin?.dependencies).toEqual([{ pluginId: 'another', optional: false }]);
  });

  test('a failure propagates along a chain of dependents', async () => {
    const last = installedUnified(
      aProvider({ id: 'last', dependencies: [{ pluginId: 'another' }], handles: [aHandle({ id: 'l' })] }),
      'last',
    );
    const broken = installedUnified(aProvider({ init: () => Promise.reject(new Error('down')) }));
    expect(await outcomes([last, depending([{ pluginId: 'greeter' }]), broken])).toEqual([
      'it depends on the plugin "another", which is not loaded',
      'it depends on the plugin "greeter", which is not loaded',
      'its init failed: down',
    ]);
  });

  test('dependents of a failed plugin fail too', async () => {
    const broken = installedUnified(aProvider({ init: () => Promise.reject(new Error('down')) }));
    expect(await outcomes([depending([{ pluginId: 'greeter' }]), broken])).toEqual([
      'it depends on the plugin "greeter", which is not loaded',
      'its init failed: down',
    ]);
  });

  test('a plugin that depends on itself indirectly is told the cycle', async () => {
    const one = installedUnified(aProvider({ dependencies: [{ pluginId: 'another' }] }));
    expect(await outcomes([one, depending([{ pluginId: 'greeter' }])])).toEqual([
      'its dependencies form a cycle: greeter -> another -> greeter',
      'its dependencies form a cycle: another -> greeter -> another',
    ]);
  });

  test('each is initialised once, after its dependencies', async () => {
    const calls: string[] = [];
    const init = (name: string) => async () => {
      await Promise.resolve();
      calls.push(name);
    };
    await load([
      depending([{ pluginId: 'greeter' }], { init: init('another') }),
      installedUnified(
        aProvider({
          id: 'third',
          dependencies: [{ pluginId: 'greeter' }],
          handles: [aHandle({ id: 't' })],
          init: init('third'),
        }),
        'third',
      ),
      installedUnified(aProvider({ init: init('greeter') })),
    ]);
    expect(calls[0]).toBe('greeter');
    expect([...calls].sort()).toEqual(['another', 'greeter', 'third']);
  });
});

test('a disabled plugin is listed and not loaded', async () => {
  const registry = await load(
    [{ ...installedUnified(null), load: () => Promise.reject(new Error('never called')) }, another()],
    ['greeter'],
  );
  expect(registry.plugins[0]).toMatchObject({ status: 'disabled', error: 'it is disabled' });
  expect(registry.plugins[1]).toMatchObject({ status: 'loaded' });
});

test('a disabled id that no plugin has is logged', async () => {
  const { logger, entries } = aRecordingLogger();
  const { clock, run } = aVirtualClock();
  await run(loadRegistry([another()], { logger, clock, disabled: ['anotter', 'another'] }));
  expect(entries).toEqual([
    { level: 'warn', message: 'a disabled plugin is not installed', fields: { plugin: 'anotter' } },
  ]);
});

test('a node type stays with the first plugin in the list even when its init fails', async () => {
  const broken = installedUnified(aProvider({ init: () => Promise.reject(new Error('down')) }));
  expect(await outcomes([broken, another({ handles: [aHandle()] })])).toEqual([
    'its init failed: down',
    'its node type "greet" already belongs to the plugin "greeter"',
  ]);
});

test('log entries of a plugin name it', async () => {
  const { logger, entries } = aRecordingLogger();
  const { clock, run } = aVirtualClock();
  const init: NonNullable<PluginProvider['init']> = (context) => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      context.logger[level](`on ${level}`, { plugin: 'somebody else', step: 1 });
  };
  const registry = await run(loadRegistry([installedUnified(aProvider({ init }))], { logger, clock }));
  await run(registry.initialise());
  expect(entries).toEqual(
    ['debug', 'info', 'warn', 'error'].map((level) => ({
      level,
      message: `on ${level}`,
      fields: { plugin: 'greeter', step: 1 },
    })),
  );
});

test('destroying cleans up every initialised plugin, even if others fail', async () => {
  const destroyed: string[] = [];
  const { logger, entries } = aRecordingLogger();
  const { clock, run } = aVirtualClock();
  const failing = (id: string, destroy: () => Promise<void>) =>
    installedUnified(aProvider({ id, handles: [aHandle({ id })], destroy }), id);
  const registry = await run(
    loadRegistry(
      [
        failing('stuck', () => Promise.reject(new Error('stuck'))),
        failing('hanging', () => new Promise(() => {})),
        another({
          destroy: () => {
            destroyed.push('another');
          },
        }),
      ],
      { logger, clock },
    ),
  );
  await run(registry.initialise());
  await run(registry.destroy());
  expect(destroyed).toEqual(['another']);
  expect(entries.map(({ fields }) => fields)).toEqual([
    { plugin: 'stuck', reason: 'stuck' },
    { plugin: 'hanging', reason: 'no result within 2000 ms' },
  ]);
});

describe('for any module exports', () => {
  const junk = fc.oneof(
    fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true }),
    fc.constantFrom(
      Symbol('s'),
      () => {},
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('proxy');
          },
        },
      ),
    ),
  );
  const spoilt = <Shape extends object>(shape: Shape): fc.Arbitrary<unknown> =>
    fc
      .tuple(fc.constantFrom(...Object.keys(shape), 'dependencies', 'healthCheck', 'init'), junk)
      .map(([field, value]) => ({ ...shape, [field]: value }));

  test('the registry is built, valid plugins work, and each failure has a reason', async () => {
    const exported = fc.oneof(
      junk,
      spoilt(aProvider()),
      spoilt(aLegacyProvider({ nodeType: 'greeter' })),
      spoilt(aHandle()).map((handle) => aProvider({ handles: [handle as never] })),
      junk.map((dependency) => aProvider({ dependencies: [dependency as never] })),
    );
    await fc.assert(
      fc.asyncProperty(exported, fc.boolean(), async (value, isLegacy) => {
        const plugin = isLegacy
          ? installedLegacy(value, { id: 'greeter', kind: 'action' })
          : installedUnified(value);
        const { plugins, findNodeType } = await load([plugin, another()]);
        expect(plugins[1]?.status).toBe('loaded');
        expect(() => JSON.stringify(describePlugin({ plugins }, 'greeter'))).not.toThrow();
        expect(findNodeType('other')).not.toBeNull();
        if (plugins[0]?.status === 'failed') expect(plugins[0].error).toMatch(/./);
      }),
      { numRuns: cases(100, 300) },
    );
  });
});
