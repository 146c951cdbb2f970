import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createReadTypes } from '../../lib/app/types.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { silent } from '../support/a-run.ts';
import { checked } from '../support/checked-answers.ts';
import { typesOnUse } from '../support/types-on-use.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const context = { awsRequestId: 'lambda-1' } as Context;
const sample = JSON.parse(readFileSync(new URL('../../events/adminTypes.json', import.meta.url), 'utf8'));
const clock = aManualClock();

const NODE_TYPES = '/api/admin/node-types';
const NODE_TYPE = `${NODE_TYPES}/{nodeType}`;
const CREDENTIAL_TYPES = '/api/admin/credential-types';
const CREDENTIAL_TYPE = `${CREDENTIAL_TYPES}/{type}`;

interface Request {
  readonly query?: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The function with these plugins. */
const aService = async (installed: readonly InstalledPlugin[], disabled: readonly string[] = []) => {
  const registry = await loadRegistry(installed, { logger: silent, clock, disabled });
  const handler = checked(
    createReadTypes({ logger: silent, clock, loadRegistry: async () => registry, ...typesOnUse }) as Handler,
  );
  return (path: string, { query = '', ids = {}, headers = {} }: Request = {}) =>
    handler(
      {
        ...sample,
        routeKey: `GET ${path}`,
        rawPath: path.replace(/\{.*/, 'x'),
        rawQueryString: query,
        pathParameters: ids,
        headers: { ...sample.headers, ...headers },
      },
      context,
    );
};

const call = await aService(installedPlugins);
const nodeTypesOf = async (query: string): Promise<string[]> =>
  bodyOf(await call(NODE_TYPES, { query })).nodeTypes.map((one: { nodeType: string }) => one.nodeType);
const credentialTypesOf = async (query: string): Promise<string[]> =>
  bodyOf(await call(CREDENTIAL_TYPES, { query })).credentialTypes.map((one: { id: string }) => one.id);

test('the function answers its sample event with triggers', async () => {
  process.env.LOG_LEVEL = 'error';
  const { handler } = await import('../../functions/admin/types.ts');
  const { nodeTypes } = bodyOf(await (handler as Handler)(sample, context));
  expect(nodeTypes.length).toBeGreaterThan(3);
  expect(nodeTypes.every(({ kind }: { kind: string }) => kind === 'trigger')).toBe(true);
});

describe('the list of node types', () => {
  test('has every node type by id', async () => {
    const { nodeTypes, ...page } = bodyOf(await call(NODE_TYPES));
    expect(page).toEqual({ count: nodeTypes.length, nextCursor: null });
    const ids = nodeTypes.map(({ nodeType }: { nodeType: string }) => nodeType);
    expect(ids).toEqual([...ids].sort());
    expect(nodeTypes).toContainEqual({
      nodeType: 'noOp',
      name: expect.any(String),
      description: expect.any(String),
      kind: 'action',
      category: expect.any(String),
      plugin: 'noOp',
      enabled: true,
    });
  });

  test.each<[query: string, found: readonly string[]]>([
    ['text=WEBHOOKt', ['webhookTrigger']],
    ['text=Slack+channel&kind=trigger', []],
    ['plugin=flow&kind=trigger', []],
    ['plugin=triggers&kind=trigger', ['errorTrigger', 'noticeTrigger', 'queueTrigger', 'scheduleTrigger']],
    ['plugin=aws', ['aws']],
    ['plugin=unknown', []],
  ])('%s finds %j', async (query, found) => {
    expect(await nodeTypesOf(query)).toEqual(found);
  });

  test('is read page by page', async () => {
    const all = await nodeTypesOf('plugin=data');
    const read: string[] = [];
    for (let cursor = ''; ; ) {
      const query = `plugin=data&limit=5&cursor=${cursor}`;
      const { nodeTypes, nextCursor } = bodyOf(await call(NODE_TYPES, { query }));
      read.push(...nodeTypes.map(({ nodeType }: { nodeType: string }) => nodeType));
      if (nextCursor === null) break;
      expect(nodeTypes).toHaveLength(5);
      cursor = nextCursor;
    }
    expect(read).toEqual(all);
  });

  test('has the types of plugins that are not loaded, with the reason', async () => {
    const plugins = [
      installedUnified(aProvider({ init: () => Promise.reject(new Error('no licence')) })),
      installedLegacy(aLegacyProvider()),
      installedLegacy(null, { id: 'broken', kind: 'action' }),
    ];
    const { nodeTypes } = bodyOf(await (await aService(plugins, ['ring']))(NODE_TYPES));
    expect(nodeTypes).toEqual([
      {
        nodeType: 'broken',
        name: 'broken',
        description: '',
        kind: 'action',
        category: '',
        plugin: 'broken',
        enabled: false,
        error: expect.stringContaining('the export must be a provider'),
      },
      expect.objectContaining({
        nodeType: 'greet',
        description: 'Says hello',
        enabled: false,
        error: 'its init failed: no licence',
      }),
      expect.objectContaining({
        nodeType: 'ring',
        kind: 'trigger',
        enabled: false,
        error: 'it is disabled',
      }),
    ]);
  });

  test('has a type that several plugins declare once, of the one that is loaded', async () => {
    const declaring = (id: string, ...types: readonly string[]) =>
      installedUnified(aProvider({ id, handles: types.map((type) => aHandle({ id: type })) }), id);
    const service = await aService([
      declaring('first', 'greet'),
      declaring('refused', 'greet', 'part'),
      declaring('last', 'part'),
    ]);
    const { nodeTypes } = bodyOf(await service(NODE_TYPES));
    expect(nodeTypes).toEqual([
      expect.objectContaining({ nodeType: 'greet', plugin: 'first', enabled: true }),
      expect.objectContaining({ nodeType: 'part', plugin: 'last', enabled: true }),
    ]);
  });
});

describe('one node type', () => {
  test('has everything it declares', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', default: 'Ada' }, code: { type: 'string' } },
    };
    const example = { parameters: { name: 'Bob' }, output: { greeting: 'Hello, Bob' } };
    const handle = aHandle({
      id: 'greet.v2-beta_1',
      schema,
      example,
      credentialTypes: ['crmToken'],
      credentialRequired: () => true,
      literalParameters: ['code'],
    });
    const plugin = aProvider({
      handles: [handle],
      dependencies: [{ pluginId: 'absent', optional: true }],
    });
    const service = await aService([installedUnified(plugin)]);
    expect(bodyOf(await service(NODE_TYPE, { ids: { nodeType: 'greet.v2-beta_1' } }))).toEqual({
      nodeType: 'greet.v2-beta_1',
      name: 'Greet',
      description: 'Says hello',
      kind: 'action',
      category: 'example',
      plugin: 'greeter',
      enabled: true,
      warnings: [expect.stringContaining('absent')],
      firedBy: null,
      inputs: ['main'],
      outputs: ['main'],
      outputSchemas: {},
      parametersWithOptions: [],
      outputsDependOnParameters: false,
      deliveryDependsOnParameters: false,
      endsBranch: false,
      credentialTypes: ['crmToken'],
      credentialRequired: 'byParameters',
      pure: true,
      control: null,
      schema,
      defaults: { name: 'Ada' },
      literalParameters: ['code'],
      example,
    });
  });

  test('of webhooks has the schemas of its features', async () => {
    const { schema } = bodyOf(await call(NODE_TYPE, { ids: { nodeType: 'webhookTrigger' } }));
    expect(schema.properties).toMatchObject({
      path: { type: 'string', default: '/webhook' },
      rateLimit: {
        title: 'Rate limit',
        description: expect.any(String),
        properties: { per: { enum: ['path', 'caller'] } },
      },
    });
  });

  test('of a plugin whose init failed has the declarations and the reason', async () => {
    const plugin = aProvider({ init: () => Promise.reject(new Error('no licence')) });
    const service = await aService([installedUnified(plugin)]);
    expect(bodyOf(await service(NODE_TYPE, { ids: { nodeType: 'greet' } }))).toMatchObject({
      enabled: false,
      error: 'its init failed: no licence',
      warnings: [],
      schema: { type: 'object' },
    });
  });

  test('of a plugin that could not be read has no declarations', async () => {
    const service = await aService([installedLegacy(null)]);
    const shown = bodyOf(await service(NODE_TYPE, { ids: { nodeType: 'ring' } }));
    expect(shown).toMatchObject({ nodeType: 'ring', kind: 'trigger', enabled: false });
    expect(shown).not.toHaveProperty('schema');
  });

  test.each([
    ['sett', 'No installed plugin has this node type, but "set" exists.'],
    ['zzzzzz', 'No installed plugin has this node type.'],
    ['<script>', 'No installed plugin has this node type.'],
    ['', 'No installed plugin has this node type.'],
  ])('%j that is not installed is a 404 with similar ones, and is not quoted', async (nodeType, detail) => {
    const result = await call(NODE_TYPE, { ids: { nodeType } });
    expect(result).toMatchObject(aProblem(404, 'node-type-not-found'));
    expect(bodyOf(result).detail).toBe(detail);
  });
});

describe('credential types', () => {
  test('are listed by id', async () => {
    const { credentialTypes, ...page } = bodyOf(await call(CREDENTIAL_TYPES));
    expect(page).toEqual({ count: credentialTypes.length, nextCursor: null });
    expect(credentialTypes).toContainEqual({
      id: 'httpBearer',
      name: expect.any(String),
      description: expect.any(String),
      plugin: 'credentials',
      enabled: true,
    });
  });

  test.each<[query: string, found: readonly string[]]>([
    ['text=HTTPb', ['httpBasic', 'httpBearer', 'httpBody']],
    ['plugin=flow', []],
    ['text=smtp&limit=1', ['smtp']],
  ])('%s finds %j', async (query, found) => {
    expect(await credentialTypesOf(query)).toEqual(found);
  });

  test('one has its fields, and the node types that accept it', async () => {
    expect(bodyOf(await call(CREDENTIAL_TYPE, { ids: { type: 'smtp' } }))).toMatchObject({
      id: 'smtp',
      plugin: 'credentials',
      enabled: true,
      warnings: [],
      schema: { type: 'object', properties: { password: { type: 'string' } } },
      secretFields: expect.arrayContaining(['password']),
      appliesToRequests: false,
      hosts: 'none',
      hasTest: expect.any(Boolean),
      nodeTypes: ['email'],
    });
  });

  test('one that is not installed is a 404 with similar ones', async () => {
    const result = await call(CREDENTIAL_TYPE, { ids: { type: 'httpBearr' } });
    expect(result).toMatchObject(aProblem(404, 'credential-type-not-found'));
    expect(bodyOf(result).detail).toBe(
      'No installed plugin has this credential type, but "httpBearer" exists.',
    );
  });
});

describe('the entity tag', () => {
  const etagOf = async (query: string) => String((await call(NODE_TYPES, { query })).headers?.etag);

  test('is the same for the same content, and another for other content', async () => {
    expect(await etagOf('plugin=data')).toMatch(/^"[\w-]{43}"$/);
    expect(await etagOf('plugin=data')).toBe(await etagOf('plugin=data&limit=99'));
    expect(await etagOf('plugin=data')).not.toBe(await etagOf('plugin=flow'));
  });

  test.each([
    ['the tag', (tag: string) => tag],
    ['a list with the tag', (tag: string) => `"a", W/${tag}`],
    ['any tag', () => '*'],
  ])('%s in If-None-Match is a 304 without a body', async (_case, toHeader) => {
    const tag = await etagOf('');
    const result = await call(NODE_TYPES, { headers: { 'if-none-match': toHeader(tag) } });
    expect(result).toEqual({
      statusCode: 304,
      headers: { etag: tag, 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' },
    });
  });

  test('another tag is answered in full', async () => {
    const result = await call(NODE_TYPE, {
      ids: { nodeType: 'set' },
      headers: { 'if-none-match': await etagOf('') },
    });
    expect(result.statusCode).toBe(200);
    expect(result.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache',
    });
  });
});

describe('bad input is a 4xx:', () => {
  test.each([
    [NODE_TYPES, 'type=set', 'unknown parameter "type", expected one of text, plugin, limit, cursor, kind'],
    [NODE_TYPES, 'kind=provider', 'kind must be one of trigger, action'],
    [NODE_TYPES, 'limit=201', 'limit must be an integer from 1 to 200'],
    [NODE_TYPES, 'cursor=x', 'cursor must be the nextCursor of an earlier page'],
    [NODE_TYPES, 'text=a&text=b', 'text is given twice'],
    [NODE_TYPE, 'text=a', 'unknown parameter "text"'],
    [
      CREDENTIAL_TYPES,
      'kind=action',
      'unknown parameter "kind", expected one of text, plugin, limit, cursor',
    ],
    [CREDENTIAL_TYPE, 'text=a', 'unknown parameter "text"'],
  ])('GET %s?%s', async (path, query, reason) => {
    const result = await call(path, { query, ids: { nodeType: 'set', type: 'smtp' } });
    expect(result).toMatchObject(aProblem(400, 'query-invalid'));
    expect(bodyOf(result).detail).toContain(reason);
  });

  test('a cursor of a list with other filters', async () => {
    const { nextCursor } = bodyOf(await call(NODE_TYPES, { query: 'limit=1' }));
    const result = await call(NODE_TYPES, { query: `limit=1&kind=action&cursor=${nextCursor}` });
    expect(result).toMatchObject(aProblem(400, 'query-invalid'));
  });

  test('another method', async () => {
    expect(await call('').then(({ statusCode }) => statusCode)).toBe(405);
  });
});
