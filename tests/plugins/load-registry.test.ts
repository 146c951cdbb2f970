import { describe, expect, test } from '@jest/globals';
import type { PluginProvider } from '../../lib/contract/plugin.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const load = (installed: readonly InstalledPlugin[], disabled: readonly string[] = []) => {
  const { clock, run } = aVirtualClock();
  return run(loadRegistry(installed, { logger: silent, clock, disabled }));
};

/** Of each plugin: `loaded`, or why not. */
const outcomes = async (installed: readonly InstalledPlugin[]) =>
  (await load(installed)).plugins.map((entry) => (entry.status === 'loaded' ? 'loaded' : entry.error));

const another = (changes: Partial<PluginProvider> = {}) =>
  installedUnified(aProvider({ id: 'another', handles: [aHandle({ id: 'other' })], ...changes }), 'another');

describe('a sound plugin', () => {
  test('is loaded, and its node types are found', async () => {
    const registry = await load([installedUnified(aProvider()), installedLegacy(aLegacyProvider())]);
    expect(registry.plugins.map(({ status }) => status)).toEqual(['loaded', 'loaded']);
    expect(registry.findNodeType('greet')).toMatchObject({ kind: 'action', pure: true });
    expect(registry.findNodeType('ring')).toMatchObject({ kind: 'trigger', pure: true });
    expect(registry.findNodeType('unknown')).toBeNull();
    expect(registry.findNodeType('__proto__')).toBeNull();
  });

  test('the properties of a legacy one become a JSON Schema', async () => {
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

  test('its executor is made once, on the first use, and again when that failed', async () => {
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

  test('a handle runs as a method of its own', async () => {
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

describe('a plugin that can not be loaded keeps nobody else out', () => {
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
      'its metadata is invalid: the export is no provider but undefined',
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
      'its metadata is invalid: id must be "greeter", as in the list of installed plugins, and is "else"',
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
      'it brings the node type "greet" twice',
    ],
    [
      'a thrown thing that can not be described',
      {
        ...installedUnified(null),
        load: () =>
          Promise.reject({
            toString: () => {
              throw new Error('no');
            },
          }),
      },
      'an error that can not be described',
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
  ])('a legacy provider whose %s is %j', async (field, value) => {
    const [reason] = await outcomes([installedLegacy({ ...aLegacyProvider(), [field]: value })]);
    expect(reason).toMatch(new RegExp(`^its metadata is invalid: ${field} must be `));
  });

  test('a legacy property of an unknown type, and every other problem of it at once', async () => {
    const properties = [{ name: '', displayName: 'Tone', type: 'colour' }];
    const [reason] = await outcomes([installedLegacy({ ...aLegacyProvider(), properties })]);
    expect(reason).toContain('properties[0].name must be a text');
    expect(reason).toContain('properties[0].type must be one of string, number');
  });
});

describe('names that are taken', () => {
  test('the first plugin in the list has the node type; the other names both', async () => {
    const second = another({ handles: [aHandle({ id: 'other' }), aHandle({ id: 'greet' })] });
    expect(await outcomes([installedUnified(aProvider()), second])).toEqual([
      'loaded',
      'its node type "greet" is taken by the plugin "greeter"',
    ]);
  });

  test('a plugin that is left out leaves none of its node types behind', async () => {
    const second = another({ handles: [aHandle({ id: 'other' }), aHandle({ id: 'greet' })] });
    const registry = await load([installedUnified(aProvider()), second]);
    expect(registry.findNodeType('other')).toBeNull();
  });

  test('a second plugin of the same id is left out', async () => {
    expect(
      await outcomes([
        installedUnified(aProvider()),
        installedUnified(aProvider({ handles: [aHandle({ id: 'x' })] })),
      ]),
    ).toEqual(['loaded', 'there is another plugin "greeter" before it']);
  });
});

describe('dependencies', () => {
  const depending = (dependencies: PluginProvider['dependencies'], changes: Partial<PluginProvider> = {}) =>
    another({ ...(dependencies === undefined ? {} : { dependencies }), ...changes });

  test.each<[string, NonNullable<PluginProvider['dependencies']>, string]>([
    [
      'that is not there',
      [{ pluginId: 'missing' }],
      'it depends on the plugin "missing", which is not installed or not sound',
    ],
    [
      'that is too old',
      [{ pluginId: 'greeter', version: '^2.0.0' }],
      'it depends on the plugin "greeter" ^2.0.0, and 1.2.3 is installed',
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

  test('an optional one that is not there is a warning', async () => {
    const registry = await load([depending([{ pluginId: 'missing', optional: true }])]);
    expect(registry.plugins[0]).toMatchObject({
      warnings: ['it depends on the plugin "missing", which is not installed or not sound'],
    });
  });

  test('who depends on what failed fails, too', async () => {
    const broken = installedUnified(aProvider({ init: () => Promise.reject(new Error('down')) }));
    expect(await outcomes([depending([{ pluginId: 'greeter' }]), broken])).toEqual([
      'it depends on the plugin "greeter", which is not loaded',
      'its init failed: down',
    ]);
  });

  test('who depends on itself by way of others is told how', async () => {
    const one = installedUnified(aProvider({ dependencies: [{ pluginId: 'another' }] }));
    expect(await outcomes([one, depending([{ pluginId: 'greeter' }])])).toEqual([
      'its dependencies lead back to itself: greeter -> another -> greeter',
      'its dependencies lead back to itself: another -> greeter -> another',
    ]);
  });

  test('each is initialised once, after what it depends on', async () => {
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

test('a plugin that is switched off is listed and not loaded', async () => {
  const registry = await load(
    [{ ...installedUnified(null), load: () => Promise.reject(new Error('never called')) }, another()],
    ['greeter'],
  );
  expect(registry.plugins[0]).toMatchObject({ status: 'disabled', error: 'it is switched off' });
  expect(registry.plugins[1]).toMatchObject({ status: 'loaded' });
});

test('destroying lets every loaded plugin tidy up, whatever the others do', async () => {
  const destroyed: string[] = [];
  const registry = await load([
    installedUnified(aProvider({ destroy: () => Promise.reject(new Error('stuck')) })),
    another({
      destroy: () => {
        destroyed.push('another');
      },
    }),
  ]);
  await registry.destroy();
  expect(destroyed).toEqual(['another']);
});
