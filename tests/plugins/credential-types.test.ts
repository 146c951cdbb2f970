import type { CredentialType } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anOutboundRequest } from '../support/an-outbound-request.ts';
import { aServer, noTcp } from '../support/outbound-credentials.ts';

const load = (...installed: Parameters<typeof loadRegistry>[0]) => {
  const { clock, run } = aVirtualClock();
  return run(loadRegistry(installed, { logger: silent, clock }));
};

/** A sound type; a test spoils what it is about. */
const aType = (changes: Partial<CredentialType> = {}): CredentialType => ({
  id: 'slackToken',
  name: 'Slack token',
  description: 'For tests',
  schema: {
    type: 'object',
    required: ['token'],
    properties: { token: { type: 'string' }, team: { type: 'string' } },
  },
  secretFields: ['token'],
  apply: (request) => ({ ...request, headers: { authorization: 'applied' } }),
  ...changes,
});

const bringing = (id: string, ...credentialTypes: unknown[]) =>
  installedUnified({ ...aProvider({ id, handles: [aHandle({ id: `${id}Node` })] }), credentialTypes }, id);

test('a plugin provides credential types, with handles or without', async () => {
  const alone = installedUnified(
    aProvider({ id: 'alone', handles: [], credentialTypes: [aType({ id: 'other' })] }),
    'alone',
  );
  const { plugins, credentialTypes } = await load(bringing('slack', aType()), alone);
  expect(plugins.map(({ status }) => status)).toEqual(['loaded', 'loaded']);
  expect([...credentialTypes.keys()]).toEqual(['slackToken', 'other']);
});

test('its types are called after its init', async () => {
  const calls: string[] = [];
  const provider = aProvider({
    init: () => void calls.push('init'),
    credentialTypes: [
      aType({
        apply: (request) => {
          calls.push('apply');
          return request;
        },
      }),
    ],
  });
  const { credentialTypes } = await load(installedUnified(provider));
  const { clock } = aVirtualClock();
  const context = { http: aServer(), tcp: noTcp, clock, signal: new AbortController().signal };
  await credentialTypes.get('slackToken')?.apply?.(anOutboundRequest('https://example.com'), {}, context);
  expect(calls).toEqual(['init', 'apply']);
});

describe('a plugin is not loaded, with a reason, when its credential type', () => {
  test.each([
    ['has no id', aType({ id: '' }), 'credentialTypes[0].id must be 1 to 64 of'],
    [
      'has no schema',
      { ...aType(), schema: 'a text' },
      'credentialTypes[0].schema must be a JSON Schema of an object whose properties are all strings',
    ],
    [
      'has a field that is not text',
      aType({ schema: { type: 'object', properties: { token: { type: 'number' } } } }),
      'whose properties are all strings',
    ],
    [
      'has a secret field without a schema',
      aType({ secretFields: ['tokn'] }),
      'credentialTypes[0].secretFields must be properties of its schema, not tokn',
    ],
    [
      'is applied by no function',
      { ...aType(), apply: 'Bearer' },
      'credentialTypes[0].apply must be a function, not "Bearer"',
    ],
    [
      'has hosts that are no list of texts',
      { ...aType(), hosts: 'slack.com' },
      'credentialTypes[0].hosts must be a function, or a list of different host patterns, not "slack.com"',
    ],
    [
      'is one of the service itself',
      aType({ id: 'basic' }),
      'its credential type "basic" already belongs to the service itself',
    ],
  ])('%s', async (_case, type, error) => {
    const { plugins } = await load(bringing('slack', type), bringing('sound', aType({ id: 'sound' })));
    expect(plugins).toMatchObject([
      { status: 'failed', error: expect.stringContaining(error) },
      { status: 'loaded' },
    ]);
  });

  test('is already claimed, or appears twice', async () => {
    const { plugins } = await load(
      bringing('one', aType()),
      bringing('two', aType()),
      bringing('three', aType({ id: 'a' }), aType({ id: 'a' })),
    );
    expect(plugins).toMatchObject([
      { status: 'loaded' },
      { status: 'failed', error: 'its credential type "slackToken" already belongs to the plugin "one"' },
      { status: 'failed', error: 'it declares the credential type "a" twice' },
    ]);
  });
});
