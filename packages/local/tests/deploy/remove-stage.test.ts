import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { REGION, startAwsAccount } from '../../../../tests/support/an-aws-account.ts';
import type { Io } from '../../../cli/io.ts';
import { removeStage } from '../../deploy/remove-stage.ts';
import { openStack } from '../../deploy/stack.ts';

type Failed = { readonly failed: string; readonly reason: string };

const queue = (name: string, DeletionPolicy: string) => ({
  Type: 'AWS::SQS::Queue',
  DeletionPolicy,
  Properties: { QueueName: name },
});

const TEMPLATE = {
  Parameters: { AssetsBucket: { Type: 'String' } },
  Resources: {
    Kept: queue('kept', 'RetainExceptOnCreate'),
    Gone: queue('gone', 'Delete'),
    Other: queue('other', 'Delete'),
  },
};

const variables = { ...process.env };
let failure: Failed | null;
let account: Awaited<ReturnType<typeof startAwsAccount>>;

beforeEach(async () => {
  failure = null;
  account = await startAwsAccount(
    async () => ({ outputs: {} }),
    async () => failure,
  );
  Object.assign(process.env, account.env);
});
afterEach(async () => {
  await account.stop();
  process.env = { ...variables };
});

const launch = async (template: object = TEMPLATE): Promise<void> => {
  account.buckets.add('code');
  account.objects.set('template.json', Buffer.from(JSON.stringify(template)));
  const stack = openStack({ stackName: 'hookloom-shop', config: { region: REGION }, sleep: async () => {} });
  const { execute } = await stack.propose('first', {
    TemplateURL: `https://code.s3.${REGION}.amazonaws.com/template.json`,
    Parameters: [{ ParameterKey: 'AssetsBucket', ParameterValue: 'code' }],
  });
  await execute();
  stack.close();
};

const remove = async (options: object = {}, typed: string | null = null) => {
  const out: string[] = [];
  const io = {
    ...{ print: (text: string) => void out.push(text), note: () => {}, env: {}, sleep: async () => {} },
    ...{ isTerminal: typed !== null, ask: async () => typed ?? '' },
    ...{ paint: (_format: string, text: string) => text, paintOut: (_format: string, text: string) => text },
  } as unknown as Io;
  const refusal = await removeStage('shop', { region: REGION, ...options }, io).then(
    () => null,
    ({ message }: Error) => message,
  );
  return { out, refusal };
};

const shown = [
  '- 2 × AWS::SQS::Queue',
  expect.stringMatching(/^stays: .*kept$/),
  'stays: secrets of credentials, in Parameter Store under /hookloom-shop/credentials/',
  'stays: the code of its functions, in s3://code',
];

test('a removal shows what goes and what stays, and is made when the name of the stage is typed', async () => {
  await launch();
  expect(await remove({}, 'shop')).toEqual({
    out: [...shown, expect.stringMatching(/^shop is removed\. Its data stays/)],
    refusal: null,
  });
  expect(await remove({}, 'shop')).toEqual({
    out: [],
    refusal: 'There is no stage shop in us-east-1: no stack hookloom-shop.',
  });
});

test.each([
  ['another name', {}, 'y', 'Nothing was changed.'],
  ['no terminal', {}, null, 'Without a terminal, `--yes` removes it. Nothing was changed.'],
  ['a dry run', { dryRun: true, yes: true }, null, null],
])('with %s, nothing is removed', async (_with, options, typed, refusal) => {
  await launch();
  expect(await remove(options, typed)).toEqual({ out: shown, refusal });
  expect(account.status()).toBe('CREATE_COMPLETE');
});

test('what can’t be removed is named, and the removal can be repeated', async () => {
  await launch();
  failure = { failed: 'Registrations', reason: 'a schedule could not be removed' };
  const { refusal } = await remove({ yes: true });
  expect(refusal).toBe(
    'shop was not removed whole (DELETE_FAILED):\n  Registrations (Custom::Registrations): a schedule could not be removed\nOnce the cause is fixed, remove it again: it continues with the rest.',
  );
  failure = null;
  expect(await remove({ yes: true })).toMatchObject({ refusal: null });
});

test('a stage that was deployed from a clone is left to the clone', async () => {
  const { Kept } = TEMPLATE.Resources;
  await launch({ ...TEMPLATE, Resources: { ServerlessDeploymentBucket: Kept } });
  expect((await remove({ yes: true })).refusal).toContain('npx serverless remove --stage shop');
  expect(account.status()).toBe('CREATE_COMPLETE');
});
