import { afterEach, describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer } from '../../../tests/support/a-local-server.ts';
import { aWorkflow } from '../../../tests/support/a-workflow.ts';
import { aNotice, NOW } from '../../../tests/support/notice-store-suite.ts';
import { startSources } from '../../local/sources/start-sources.ts';

const openCommandLine = useCommandLine();
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The command line before sources of the test's own, and a Lambda that accepts every event. */
const open = async () => {
  const sources = await startSources({ file: null, pool: { invoke: async () => ({}) }, log: () => {} });
  const engine = await aLocalServer({
    '/2015-03-31/functions/hookloom-dev-runDurable%3Adurable/invocations': (_request, response) =>
      void response.writeHead(202).end(),
  });
  cleanups.push(sources.stop, engine.close);
  return openCommandLine({ engineEndpoint: engine.origin, values: { SOURCES_ENDPOINT: sources.endpoint } });
};

const HOOK = 'notify add tell-hook --webhook https://hooks.example.com/in';

describe('notify add', () => {
  test.each([
    [
      '--mail ops@example.com --from shop@example.com --tag money --tag shop',
      { tags: ['money', 'shop'] },
      {
        type: 'email',
        parameters: {
          via: 'ses',
          from: 'shop@example.com',
          to: ['ops@example.com'],
          subject: '{{ subject }}',
          text: '{{ text }}',
        },
      },
    ],
    [
      '--sns arn:aws:sns:eu-west-1:123456789012:ops --kind cost --kind expiry',
      { kinds: ['cost', 'expiry'] },
      {
        type: 'aws',
        parameters: {
          service: 'sns',
          operation: 'Publish',
          region: 'eu-west-1',
          input: {
            TopicArn: 'arn:aws:sns:eu-west-1:123456789012:ops',
            Subject: 'Hookloom notice',
            Message: '{{ text }}',
          },
        },
      },
    ],
    [
      '--webhook https://hooks.example.com/in --workflow orders --digest 60 --console https://ops.example.com/console',
      { workflows: ['orders'], digestMinutes: 60, consoleUrl: 'https://ops.example.com/console' },
      {
        type: 'httpRequest',
        parameters: {
          method: 'POST',
          url: 'https://hooks.example.com/in',
          body: {
            subject: '{{ subject }}',
            text: '{{ text }}',
            notices: '{{ notices }}',
            more: '{{ more }}',
          },
          idempotencyKey: true,
        },
      },
    ],
  ])('stores the workflow for %s', async (options, parameters, send) => {
    const { call, stores } = await open();
    expect(await call(`notify add tell ${options}`)).toMatchObject({
      code: 0,
      out: 'tell: version 1',
      err: 'Try it: notify test tell',
    });
    expect((await stores.workflows.find('tell'))?.definition).toMatchObject({
      nodes: [
        { id: 'notice', type: 'noticeTrigger', parameters },
        { id: 'send', ...send, settings: { retry: { maxAttempts: 3 } } },
      ],
      connections: [{ sourceNodeId: 'notice', targetNodeId: 'send' }],
    });
  });

  test('a channel of Slack is posted to with the credential, and data in it is no mention', async () => {
    const { call } = await open();
    const stored = await call('notify add tell --slack C0123456789 --credential slack-bot');
    expect(stored).toMatchObject({ code: 1, err: expect.stringContaining('/nodes/1/credentialId') });
    expect(await call('notify add tell --slack C0123456789')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--slack needs --credential ID.'),
    });
  });

  test.each([
    ['', 'Give one of --mail, --slack, --sns and --webhook.'],
    ['--mail a@example.com --sns arn:aws:sns:eu-west-1:1:t', 'Give one of'],
    ['--mail a@example.com', '--mail needs --from ADDRESS.'],
    ['--webhook https://example.com --from a@example.com', '--from is for --mail.'],
    ['--sns arn:aws:sqs:eu-west-1:1:q', '--sns needs the ARN of a topic.'],
  ])('%s is refused before a service is looked for', async (options, err) => {
    const { call } = await open();
    expect(await call(`notify add tell ${options}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining(err),
    });
  });

  test('a value that the trigger refuses is named, and so is a workflow that exists', async () => {
    const { call } = await open();
    expect(await call(`${HOOK} --kind weather --digest 0`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('/nodes/0/parameters/digestMinutes'),
    });
    await call(HOOK);
    expect(await call(HOOK)).toMatchObject({ code: 1, err: expect.stringContaining('tell-hook') });
  });
});

test('notify list shows the receivers, and notify test starts one with a sample', async () => {
  const { call, stores } = await open();
  expect(await call('notify list')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(/receives notices/),
  });
  await call(HOOK);
  const { out } = await call('notify list');
  expect(out).toMatch(/^NAME +ENABLED +LAST MESSAGE +STATUS\ntell-hook +yes +- +-$/);
  await stores.workflows.put(aWorkflow({ id: 'greeting' }), []);
  expect(await call('notify test greeting')).toMatchObject({
    code: 1,
    err: expect.stringContaining('greeting does not begin with a noticeTrigger.'),
  });
  const started = await call('notify test tell-hook');
  expect(started).toMatchObject({ code: 0, err: `tell-hook sends a sample: execution show ${started.out}` });
  const record = await stores.executions.find(started.out);
  expect(record).toMatchObject({ workflowId: 'tell-hook', trigger: { type: 'noticeTrigger' } });
});

test('notice list shows open notices, the latest first, and says when there is none', async () => {
  const { call, stores } = await open();
  expect(await call('notice list')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(/^No notices are open/),
  });
  const store = stores.notices;
  await store.raise(aNotice());
  const {
    executionId: _id,
    nodeId: _node,
    ...rest
  } = aNotice({ kind: 'expiry', subject: 'credential:shop' });
  await store.raise({ ...rest, at: NOW + 1_000, message: 'it expires' });
  const over = await store.raise(aNotice({ cause: 'over' }));
  await store.settle(over.id, NOW);
  const [titles, ...lines] = (await call('notice list')).out.split('\n');
  expect(titles).toMatch(/^LAST +SINCE +TIMES +KIND +SUBJECT +EXECUTION +MESSAGE$/);
  expect(lines).toEqual([
    expect.stringMatching(/^2026-01-02T03:04:06.000Z +\S+ +1 +expiry +credential:shop +- +it expires$/),
    expect.stringMatching(/ 1 +failure +workflow:orders +e-1 +NodeError: the payment was refused$/),
  ]);
  expect(JSON.parse((await call('notice list --json')).out)).toMatchObject({ count: 2, more: 0 });
});
