import { EventEmitter } from 'node:events';
import type { PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createFunctionProcess } from '../../lib/adapters/runtime/function-process.ts';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { SECRETS_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import builtIn from '../../nodes/credential-types/credential-types.plugin.ts';
import { aBackgroundService, aFlow } from '../support/a-background-service.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';
import { cases } from '../support/deep.ts';
import { anOutboundService } from '../support/outbound-credentials.ts';
import { aPlantedService, createLeak, leaks, planted, plantedSecrets } from '../support/planted-secrets.ts';
import { findSecrets } from '../support/secret-forms.ts';

const leaky = (stray?: (error: Error) => void): PluginProvider => ({
  id: 'leaky',
  name: 'Leaky',
  version: '1.0.0',
  description: 'For tests',
  category: 'test',
  handles: [
    {
      id: 'leak',
      name: 'Leak',
      description: 'For tests',
      kind: 'action',
      schema: { type: 'object' },
      credentialTypes: Object.keys(planted),
      execute: createLeak(stray),
    },
  ],
});

/** The types that lend their fields to a node, and are added to no request. */
const lent = (builtIn.credentialTypes ?? []).filter(({ apply }) => apply === undefined).map(({ id }) => id);

const allWays = Object.keys(planted).flatMap((type, row) =>
  Object.keys(leaks).map((how, column) => ({ type, how, isQuick: (row + column) % 3 === 0 })),
);
/** The few: each type by some ways, and each way by some types. */
const ways = cases(
  allWays.filter(({ isQuick }) => isQuick),
  allWays,
).map(({ type, how }) => [type, how] as const);

test('there is a planted credential of each built-in type', () => {
  expect(Object.keys(planted).sort()).toEqual(builtIn.credentialTypes?.map(({ id }) => id).sort());
});

test('the search finds each secret in each encoding', () => {
  for (const secret of plantedSecrets) {
    const text = JSON.stringify({ raw: secret, base64: Buffer.from(secret).toString('base64') });
    expect(findSecrets(text, [secret])).not.toEqual([]);
  }
});

describe('a synchronous run whose node leaks its credential', () => {
  // holds: secrets-in-no-record
  test.each(ways)('of the type %s through %s shows and stores nothing of it', async (type, how) => {
    const { credentials, server } = await aPlantedService();
    const lines: string[] = [];
    const events = new EventEmitter();
    const { guard } = createFunctionProcess({
      logger: createLogger({ write: (line) => lines.push(line) }),
      events: events as unknown as NodeJS.Process,
      exit: () => {},
    });
    const stray = (error: Error) => events.emit('unhandledRejection', error);
    const service = await aWebhookService({
      plugins: [leaky(stray)],
      outboundCredentials: credentials,
      guard,
    });
    const settings = { recordData: 'always' } as const;
    const node = { type: 'leak', parameters: { how }, credentialId: type };
    await service.put({
      id: 'fails',
      chain: [node, { type: 'set', parameters: { values: { a: '{{ $input }}' } } }],
      settings,
    });
    await service.put({ id: 'routes', chain: [{ ...node, settings: { onError: 'route' } }], settings });
    const answers = [];
    for (const workflowId of ['fails', 'routes'])
      answers.push(await service.call(aJsonEvent({}, { workflowId })));

    const records = service.executions.records();
    expect(records).toHaveLength(2);
    const data = await Promise.all(
      records.map(({ executionId }) => service.executions.findData(executionId)),
    );
    const blobs = await Promise.all(service.blobs.keys().map((key) => service.blobs.get(key)));
    const workflows = await Promise.all(['fails', 'routes'].map((id) => service.workflows.find(id)));
    const all = [answers, records, data, workflows, service.kept.ends].map((value) => JSON.stringify(value));
    const printed = [
      ...service.lines,
      ...lines,
      ...blobs.map((bytes) => Buffer.from(bytes ?? []).toString()),
    ];
    const text = [...all, ...printed].join('\n');
    expect(findSecrets(text, plantedSecrets)).toEqual([]);
    // Details are left out if they are as long as a key in all forms.
    const isLeftOut = type === 'googleServiceAccount' && how === 'throwsDetails';
    expect(text.includes('[redacted]')).toBe(!isLeftOut);
    if (!lent.includes(type)) expect(server.requests.length).toBeGreaterThan(0);
  });
});

describe('a durable run whose node leaks its credential', () => {
  const durable = ways.filter(([, how]) => how !== 'strays');
  // holds: secrets-in-no-record
  test.each(durable)('of the type %s through %s has nothing of it in its checkpoints', async (type, how) => {
    const { credentials } = await aPlantedService();
    const service = await aBackgroundService({
      call: createLeak(),
      outboundCredentials: credentials,
      usesOutbox: true,
    });
    const node = { type: 'call', parameters: { how }, credentialId: type };
    await service.put(
      aFlow({
        nodes: [
          {
            id: 'first',
            ...node,
            settings: { onError: 'route', retry: { maxAttempts: 2, intervalSeconds: 0 } },
          },
          { id: 'each', type: 'forEach', parameters: { items: [1, 2] } },
          { id: 'inner', ...node, settings: { onError: 'continue' } },
        ],
        edges: ['start -> first', 'first -> each', 'each.item -> inner'],
        settings: { recordData: 'always' },
      }),
    );
    await service.accept();
    const { updates, state, result } = await service.run();
    const stored = await Promise.all(service.stored.keys().map((key) => service.stored.get(key)));
    const all = [
      updates,
      state,
      result,
      await service.executions.find('e-1'),
      await service.executions.findData('e-1'),
      service.entries,
      service.ends,
      ...stored.map((bytes) => Buffer.from(bytes ?? []).toString()),
    ];
    const text = all
      .map((value) => JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item)))
      .join('\n');
    expect(findSecrets(text, plantedSecrets)).toEqual([]);
    expect(service.called.length).toBeGreaterThan(0);
  });
});

describe('a run without its credential', () => {
  const run = async (outbound: ReturnType<typeof anOutboundService>) => {
    const service = await aWebhookService({ plugins: [leaky()], outboundCredentials: outbound.credentials });
    const node = { type: 'leak', parameters: { how: 'output' }, credentialId: 'httpBearer' };
    await service.put({ id: 'calls', chain: [node] });
    const answer = await service.call(aJsonEvent({}, { workflowId: 'calls' }));
    return { status: answer.statusCode, headers: answer.headers, records: service.executions.records() };
  };

  test('fails at the node by name when it was deleted, and sends nothing', async () => {
    const outbound = anOutboundService();
    const { status, records } = await run(outbound);
    expect(status).toBe(500);
    expect(records).toMatchObject([
      {
        status: 'failed',
        failure: {
          nodeId: 'node-1',
          name: 'CredentialMissing',
          message: 'there is no credential "httpBearer"',
        },
      },
    ]);
    expect(outbound.server.requests).toEqual([]);
  });

  test('gets 503 when the secret store throttles, and nothing has begun', async () => {
    const outbound = anOutboundService({
      secrets: { get: () => Promise.reject(new AppError(SECRETS_UNAVAILABLE, {})) },
    });
    await outbound.put('httpBearer', 'httpBearer', { token: 'token-1' });
    const { status, headers, records } = await run(outbound);
    expect({ status, records }).toEqual({ status: 503, records: [] });
    expect(headers).toHaveProperty('retry-after');
    expect(outbound.server.requests).toEqual([]);
  });

  test('is retried in the background when the secret store throttles, then fails by name', async () => {
    let reads = 0;
    const outbound = anOutboundService({
      secrets: {
        get: () => {
          reads += 1;
          return Promise.reject(new AppError(SECRETS_UNAVAILABLE, {}));
        },
      },
    });
    await outbound.put('httpBearer', 'httpBearer', { token: 'token-1' });
    const service = await aBackgroundService({
      call: createLeak(),
      outboundCredentials: outbound.credentials,
    });
    const settings = { retry: { maxAttempts: 2, intervalSeconds: 0 } };
    const node = {
      id: 'call',
      type: 'call',
      parameters: { how: 'output' },
      credentialId: 'httpBearer',
      settings,
    };
    await service.put(aFlow({ nodes: [node], edges: ['start -> call'] }));
    await service.accept();
    await service.run();
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { name: 'CredentialUnavailable' },
    });
    expect({ reads, called: service.called, requests: outbound.server.requests }).toEqual({
      reads: 2,
      called: [],
      requests: [],
    });
  });
});
