import { readFileSync } from 'node:fs';
import type { CredentialType } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createShowPlugin } from '../../lib/app/plugins.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { checked } from '../support/checked-answers.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const context = { awsRequestId: 'lambda-1' } as Context;
const sample = JSON.parse(readFileSync(new URL('../../events/adminPlugin.json', import.meta.url), 'utf8'));

const aCredentialType: CredentialType = {
  id: 'crmToken',
  name: 'CRM token',
  description: 'A token of the CRM',
  schema: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
  secretFields: ['token'],
  apply: (request, { token = '' }) => ({ ...request, headers: { ...request.headers, 'x-token': token } }),
};

/** The answer for an id, as the gateway has decoded it. */
const show = async (installed: readonly InstalledPlugin[], id: string, disabled: readonly string[] = []) => {
  const { clock, run } = aVirtualClock();
  const registry = await run(loadRegistry(installed, { logger: silent, clock, disabled }));
  const handler = checked(
    createShowPlugin({ logger: silent, clock, loadRegistry: async () => registry }) as Handler,
  );
  return run(handler({ ...sample, pathParameters: { id } }, context));
};

test('the function answers its sample event with the plugin flow', async () => {
  process.env.LOG_LEVEL = 'error';
  const { handler } = await import('../../functions/admin/plugin.ts');
  const result = await (handler as Handler)(sample, context);
  expect(result.statusCode).toBe(200);
  expect(result.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  expect(bodyOf(result)).toMatchObject({ id: 'flow', loaded: true, nodeTypes: expect.any(Array) });
});

describe('the response', () => {
  test('of a unified plugin has everything it declares', async () => {
    const example = { parameters: { name: 'Ada' }, output: { greeting: 'Hello, Ada' } };
    const schema = { type: 'object', properties: { name: { type: 'string', description: 'Of a person' } } };
    const plugin = aProvider({
      handles: [aHandle({ schema, example, credentialTypes: ['crmToken'] })],
      dependencies: [{ pluginId: 'absent', optional: true }],
      credentialTypes: [aCredentialType],
    });
    expect(bodyOf(await show([installedUnified(plugin)], 'greeter'))).toEqual({
      id: 'greeter',
      name: 'Greeter',
      description: 'Says hello',
      type: 'PROVIDER',
      category: 'example',
      loaded: true,
      version: '1.2.3',
      api: 'unified',
      status: 'loaded',
      warnings: [expect.stringContaining('absent')],
      dependencies: [{ pluginId: 'absent', optional: true }],
      credentialTypes: [
        {
          id: 'crmToken',
          name: 'CRM token',
          description: 'A token of the CRM',
          schema: aCredentialType.schema,
          secretFields: ['token'],
          appliesToRequests: true,
          hosts: 'named',
          hasSignIn: false,
          hasTest: false,
        },
      ],
      nodeTypes: [
        expect.objectContaining({ nodeType: 'greet', schema, example, credentialTypes: ['crmToken'] }),
      ],
    });
  });

  test('of a legacy plugin has its properties as JSON Schema', async () => {
    const body = bodyOf(await show([installedLegacy(aLegacyProvider())], 'ring'));
    expect(body).toMatchObject({ id: 'ring', api: 'legacy', type: 'TRIGGER', dependencies: [] });
    expect(body.nodeTypes[0].schema.properties).toEqual({
      tone: { title: 'Tone', type: 'string', default: 'high' },
    });
  });

  test('of a plugin whose init fails has the reason and its declarations', async () => {
    const plugin = aProvider({ init: () => Promise.reject(new Error('no licence')) });
    expect(bodyOf(await show([installedUnified(plugin)], 'greeter'))).toMatchObject({
      loaded: false,
      status: 'failed',
      error: 'its init failed: no licence',
      nodeTypes: [{ nodeType: 'greet' }],
    });
  });

  test('of an unreadable plugin has only the reason', async () => {
    expect(bodyOf(await show([installedUnified(null)], 'greeter'))).toMatchObject({
      id: 'greeter',
      name: 'greeter',
      loaded: false,
      status: 'failed',
      error: expect.stringContaining('the export must be a provider'),
      nodeTypes: [],
    });
  });

  test('of a disabled plugin says so', async () => {
    const { statusCode, body } = await show([installedUnified(aProvider())], 'greeter', ['greeter']);
    expect(statusCode).toBe(200);
    expect(bodyOf({ body })).toMatchObject({
      loaded: false,
      status: 'disabled',
      error: 'it is disabled',
    });
  });
});

describe('an id', () => {
  test.each(['a.b-c_d', '..', '-'])('%s is accepted unchanged', async (id) => {
    const plugins = [installedUnified(aProvider({ id }), id)];
    expect(bodyOf(await show(plugins, id))).toMatchObject({ id, loaded: true });
  });

  test('is decoded only by the gateway', async () => {
    const plugins = [installedUnified(aProvider({ id: 'a.b' }), 'a.b')];
    expect(await show(plugins, 'a%2Eb')).toMatchObject(aProblem(404, 'plugin-not-found'));
  });

  test.each([
    ['flw', 'No plugin with this id is installed, but "flow" is.'],
    ['webhook-trigger', 'No plugin with this id is installed, but "webhookTrigger" is.'],
    ['zzzzzz', 'No plugin with this id is installed.'],
    ['<script>', 'No plugin with this id is installed.'],
    ['', 'No plugin with this id is installed.'],
  ])('%j that is not installed is a 404 with similar ids, and is not quoted', async (id, detail) => {
    const result = await show(installedPlugins, id);
    expect(result).toMatchObject(aProblem(404, 'plugin-not-found'));
    expect(bodyOf(result).detail).toBe(detail);
  });
});
