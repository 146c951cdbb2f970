import { afterEach, describe, expect, test } from '@jest/globals';
import { createSendStackResponse } from '../../lib/adapters/aws/stack-response.ts';
import { createRegistrationsFunction } from '../../lib/app/triggers/registrations-handler.ts';
import { aLocalServer, type LocalServer, type Routes } from '../support/a-local-server.ts';
import { inMemoryStores } from '../support/a-queue-trigger.ts';
import { aBell, aRegistrar, aTap, aWorkflowOf } from '../support/a-registrar.ts';
import { inMemoryStanding } from '../support/in-memory-standing.ts';
import { inMemoryState } from '../support/in-memory-state.ts';

const ADDRESS = '/registrations%7Carn?X-Amz-Signature=abc%2F';
const [PATH = ''] = ADDRESS.split('?');
const take: Routes[string] = (_request, response) => void response.writeHead(200).end();

const servers: LocalServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** The function, triggers of two workflows that are registered, and the address at which a stack waits for the answer. */
const aStack = async ({ route = take }: { readonly route?: Routes[string] } = {}) => {
  const server = await aLocalServer({ [PATH]: route });
  servers.push(server);
  const service = aRegistrar();
  await service.put(aWorkflowOf([aBell('high'), aTap({ queue: 'q' })]));
  await service.put(aWorkflowOf([aBell('low')], { id: 'other' }));
  const invoke = createRegistrationsFunction({
    ...service.parts,
    ...inMemoryStanding(),
    ...inMemoryStores(),
    workflows: service.parts.workflows,
    state: inMemoryState(),
    statistics: { read: async function* () {} },
    windowMs: 86_400_000,
    retentionMs: 86_400_000,
    sendStackResponse: createSendStackResponse(0),
  });
  return {
    ...service,
    invoke,
    received: server.received,
    /** @param RequestType - what the stack does with the resource */
    ask: (RequestType: string, context = {}, changes = {}) =>
      invoke({ ...request, RequestType, ResponseURL: `${server.origin}${ADDRESS}`, ...changes }, context),
    answers: () => server.received.map(({ body }) => JSON.parse(body)),
  };
};

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html */
const request = {
  StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/hookloom-dev/1',
  RequestId: 'one',
  ResourceType: 'AWS::CloudFormation::CustomResource',
  LogicalResourceId: 'Registrations',
  PhysicalResourceId: 'registrations',
  ResourceProperties: {},
};

const answer = {
  Status: 'SUCCESS',
  Reason: '',
  PhysicalResourceId: 'registrations',
  StackId: request.StackId,
  RequestId: 'one',
  LogicalResourceId: 'Registrations',
};

describe('before a stack is removed', () => {
  test('everything is unregistered, the workflows stay, and the stack gets its response', async () => {
    const { ask, outside, registrations, workflows, received, answers } = await aStack();
    await ask('Delete');
    expect(outside.size).toBe(0);
    expect(await registrations.list()).toEqual([]);
    expect(await workflows.list()).toHaveLength(2);
    expect(answers()).toEqual([answer]);
    expect(received).toMatchObject([
      { method: 'PUT', url: ADDRESS, headers: { 'content-type': '', 'content-length': expect.any(String) } },
    ]);
  });

  test('triggers registered meanwhile are unregistered as well', async () => {
    const { ask, put, outside, registrations } = await aStack();
    const { remove } = registrations;
    registrations.remove = async (stored) => {
      registrations.remove = remove;
      await put(aWorkflowOf([aBell('late')], { id: 'late' }));
      return remove(stored);
    };
    await ask('Delete');
    expect(outside.size).toBe(0);
  });

  test('a trigger that cannot be unregistered fails it with the reason, but stops no other', async () => {
    const { ask, outside, registrations, answers } = await aStack();
    const { change } = registrations;
    registrations.change = async (stored, state) => {
      if (stored.workflowId === 'other') throw new Error('Scheduler fails: AccessDenied');
      return change(stored, state);
    };
    await ask('Delete');
    expect([...outside.values()]).toEqual([JSON.stringify({ tone: 'low' })]);
    expect(answers()).toEqual([
      {
        ...answer,
        Status: 'FAILED',
        Reason: 'Triggers still registered: 1. Scheduler fails: AccessDenied',
      },
    ]);
  });

  test('an unresponsive store fails it, and the next removal continues', async () => {
    const { ask, outside, registrations, answers } = await aStack();
    const { list } = registrations;
    registrations.list = () => Promise.reject(new Error('x'.repeat(5_000)));
    await ask('Delete');
    expect(answers()).toEqual([{ ...answer, Status: 'FAILED', Reason: 'x'.repeat(500) }]);
    registrations.list = list;
    await ask('Delete');
    expect(answers().at(-1)).toEqual(answer);
    expect(outside.size).toBe(0);
  });

  test('it responds before the function ends, whatever a call waits for', async () => {
    const { ask, registrations, answers } = await aStack();
    registrations.change = () => new Promise(() => {});
    await ask('Delete', { getRemainingTimeInMillis: () => 1_000 });
    expect(answers()).toMatchObject([
      { Status: 'FAILED', Reason: expect.stringContaining('Remove the stack again') },
    ]);
  });
});

test.each(['Create', 'Update'])('%s of the resource changes nothing and succeeds', async (type) => {
  const { ask, outside, answers } = await aStack();
  await ask(type);
  expect(outside.size).toBe(3);
  expect(answers()).toEqual([answer]);
});

test('a resource without an id yet is given one', async () => {
  const { ask, answers } = await aStack();
  await ask('Create', {}, { PhysicalResourceId: undefined });
  expect(answers()).toEqual([answer]);
});

describe('the response to CloudFormation', () => {
  test('is sent again when its URL fails', async () => {
    let tries = 0;
    const route: Routes[string] = (_request, response) =>
      void response.writeHead(++tries < 3 ? 503 : 200).end();
    const { ask, answers } = await aStack({ route });
    await ask('Update');
    expect(answers()).toEqual([answer, answer, answer]);
  });

  test('that is refused fails the function, which Lambda invokes again, without logging the URL', async () => {
    const { ask } = await aStack({ route: (_request, response) => void response.writeHead(403).end() });
    await expect(ask('Update')).rejects.toThrow(/^CloudFormation's address answers 403$/);
  });
});

test.each([
  ['the schedule', { source: 'aws.events', 'detail-type': 'Scheduled Event' }],
  ['nothing', undefined],
  ['another request', { RequestType: 'Remove', ResponseURL: 'http://127.0.0.1:1/' }],
  ['a request without an address', { RequestType: 'Delete' }],
])('invoked by %s, it registers missing triggers', async (_what, event) => {
  const { invoke, outside, registrations, received } = await aStack();
  for (const one of await registrations.list()) await registrations.remove(one);
  outside.clear();
  await invoke(event);
  expect(outside.size).toBe(3);
  expect(received).toEqual([]);
});
