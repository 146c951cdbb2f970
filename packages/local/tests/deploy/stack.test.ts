import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Launched, REGION, startAwsAccount } from '../../../../tests/support/an-aws-account.ts';
import { uploadAssets } from '../../deploy/assets-bucket.ts';
import { createProgress, describeFailures, showChanges } from '../../deploy/show-changes.ts';
import { openStack } from '../../deploy/stack.ts';

let account: Awaited<ReturnType<typeof startAwsAccount>>;
let launched: Launched;

beforeEach(async () => {
  launched = { outputs: { WebhookUrl: 'https://api.example/api/webhook' } };
  account = await startAwsAccount(async () => launched);
});
afterEach(() => account.stop());

const place = { bucket: 'code', region: REGION, account: '000000000000' };

const configOf = () => ({
  region: REGION,
  endpoint: account.endpoint,
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
});

/** A template with tables of these names. */
const templateOf = (...names: readonly string[]) => ({
  Resources: Object.fromEntries(
    names.map((name) => [`${name}Table`, { Type: 'AWS::DynamoDB::Table', Properties: { TableName: name } }]),
  ),
});

const open = () => openStack({ stackName: 'hookloom-shop', config: configOf(), sleep: async () => {} });

const propose = async (template: object) => {
  const key = `${JSON.stringify(template).length}.json`;
  await uploadAssets(place, new Map([[key, JSON.stringify(template)]]), configOf());
  return open().propose(`set-${key}`, {
    TemplateURL: `https://code.s3.amazonaws.com/${key}`,
    Parameters: [],
  });
};

const deploy = async (template: object) => {
  const before = await open().readLastEvent();
  await (await propose(template)).execute();
  const events: Parameters<typeof describeFailures>[0][number][] = [];
  const stack = await open().follow(before, (found) => events.push(...found));
  return { stack, events };
};

const print = (
  show: (io: { print(text: string): void; paintOut(_: string, text: string): string }) => void,
) => {
  const lines: string[] = [];
  show({ print: (line) => lines.push(line), paintOut: (_colour, text) => text });
  return lines;
};

describe('a stack', () => {
  test('is launched, and followed by its own events alone', async () => {
    const first = await deploy(templateOf('a', 'b'));
    expect(first.stack.StackStatus).toBe('CREATE_COMPLETE');
    const second = await deploy(templateOf('a', 'b', 'c'));
    expect(second.stack.StackStatus).toBe('UPDATE_COMPLETE');
    expect(second.events[0]?.ResourceStatus).toBe('UPDATE_IN_PROGRESS');
  });

  test('is not changed by what it has already', async () => {
    await deploy(templateOf('a'));
    expect((await propose(templateOf('a'))).changes).toEqual([]);
  });

  test('fails with the reason of what failed first', async () => {
    launched = { failed: 'bTable', reason: 'Table already exists: b' };
    const { stack, events } = await deploy(templateOf('a', 'b'));
    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(describeFailures(events)).toEqual(['bTable (AWS::DynamoDB::Table): Table already exists: b']);
  });

  test('that a failed launch has left must be deleted first', async () => {
    launched = { failed: 'aTable', reason: 'no' };
    await deploy(templateOf('a'));
    await expect(propose(templateOf('a', 'b'))).rejects.toThrow(
      'The stack hookloom-shop is what a failed launch or removal left (ROLLBACK_COMPLETE): remove it with `stage remove`',
    );
  });

  test('says what CloudFormation refuses', async () => {
    const refused = open().propose('set', { TemplateURL: 'https://code.s3.amazonaws.com/none.json' });
    await expect(refused).rejects.toThrow('The specified key none.json does not exist.');
  });

  test('is gone again when its first change is discarded', async () => {
    await (await propose(templateOf('a'))).discard();
    expect(account.status()).toBe(null);
  });
});

test('names what is replaced and removed, and counts the rest', async () => {
  await deploy(templateOf('a', 'b'));
  const { changes } = await propose({
    Resources: {
      aTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'other' } },
      cTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'c' } },
      dTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'd' } },
    },
  });
  expect(print((io) => showChanges(changes, io))).toEqual([
    '+ 2 × AWS::DynamoDB::Table',
    '- bTable (AWS::DynamoDB::Table) is REMOVED',
    '! aTable (AWS::DynamoDB::Table) is REPLACED: a new one, without the data of the former (TableName)',
  ]);
});

test('versions of functions are always new ones, which is no replacement', () => {
  const change = {
    LogicalResourceId: 'V',
    ResourceType: 'AWS::Lambda::Version',
    Replacement: 'True',
  } as const;
  const changes = [{ ResourceChange: { ...change, Action: 'Modify' as const } }];
  expect(print((io) => showChanges(changes, io))).toEqual(['~ V (AWS::Lambda::Version)']);
});

test('counts each resource once', () => {
  const lines: string[] = [];
  const onEvents = createProgress(2, { note: (line) => lines.push(line) });
  const event = (id: string, status: 'CREATE_COMPLETE' | 'CREATE_IN_PROGRESS') => ({
    StackId: 's',
    EventId: 'e',
    StackName: 'n',
    Timestamp: new Date(0),
    LogicalResourceId: id,
    PhysicalResourceId: id,
    ResourceStatus: status,
  });
  onEvents([event('a', 'CREATE_IN_PROGRESS')]);
  onEvents([event('a', 'CREATE_COMPLETE')]);
  onEvents([event('a', 'CREATE_COMPLETE'), event('b', 'CREATE_COMPLETE')]);
  expect(lines).toEqual(['1 of 2 resources', '2 of 2 resources']);
});

describe('the bucket for code', () => {
  test('gets what it lacks', async () => {
    const files = new Map([['a.zip', 'a']]);
    expect(await uploadAssets(place, files, configOf())).toBe(1);
    expect(await uploadAssets(place, files.set('b.zip', 'b'), configOf())).toBe(1);
  });

  test('of another account is refused', async () => {
    const other = { ...place, account: '111111111111' };
    await expect(uploadAssets(other, new Map([['a.zip', 'a']]), configOf())).rejects.toThrow(
      "The bucket code can't be used: it belongs to another account",
    );
    expect([...account.buckets]).toEqual([]);
  });
});
