import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SCHEMA_VERSION } from '../../lib/adapters/dynamodb/schema/schema.ts';
import { packageStage } from '../../packages/local/stage/package-stage.ts';
import { toUserEnvironment } from '../../packages/local/stage/stage-file.ts';
import { type RunningStage, useRunningStage } from '../support/a-running-stage.ts';
import { anExecutionStart } from '../support/a-start.ts';
import { runCommand } from '../support/run-command.ts';
import { stagePackage } from '../support/stage-package.ts';

interface Statement {
  Action: string | string[];
  readonly Resource: unknown;
}

/** The properties of the resources that are changed here. */
interface Properties {
  readonly Environment: { readonly Variables: Record<string, unknown> };
  readonly Policies: readonly { readonly PolicyDocument: { Statement: Statement[] } }[];
  AttributeDefinitions: readonly { readonly AttributeName: string }[];
  GlobalSecondaryIndexes?: { readonly IndexName: string }[] | undefined;
}

let folder: string;
let template: unknown;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-doctor-stage-'));
  ({ template } = await packageStage(stagePackage({ eventBus: 'default' })));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process of the owner, which does something to the services behind the door. */
const act = async ({ info, folder: cwd }: RunningStage, script: string): Promise<void> => {
  const { owner } = info.users;
  if (owner === undefined) throw new Error('the stage has no owner');
  const { code, stderr } = await runCommand(
    'node',
    [...info.nodeFlags, '--input-type=module', '--eval', script],
    { cwd, env: toUserEnvironment(owner, info.region) },
  );
  if (code !== 0) throw new Error(stderr);
};

const look = async (stage: RunningStage, more = '', env: Record<string, string> = {}) => {
  const { code, stdout } = await stage.cliAs('doctor', `doctor --json${more}`, { env });
  const { lines } = JSON.parse(stdout) as {
    readonly lines: readonly { readonly check: string; readonly status: string; readonly message: string }[];
  };
  return { code, lines };
};

describe('the packaged stage, unchanged,', () => {
  const stage = useRunningStage({ args: () => ['--no-samples'] });

  test('holds only the current version from its deployment on, also in a sweep', async () => {
    await stage.fire('SweepEventsRuleSchedule1');
    const key = "{ executionId: { S: 'stored data' } }";
    await act(
      stage,
      `import { strictEqual } from 'node:assert';
      import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
      const look = new GetItemCommand({ TableName: 'hookloom-dev-executions', Key: ${key} });
      const { Item } = await new DynamoDBClient().send(look);
      strictEqual(Item.oldest.N + ' to ' + Item.newest.N, '${SCHEMA_VERSION} to ${SCHEMA_VERSION}');`,
    );
  });

  test('is healthy, including signatures and permissions', async () => {
    const { code, lines } = await look(stage);
    expect(lines.filter(({ status }) => status !== 'ok').map(({ message }) => message)).toEqual([
      'expiry and backups: this DynamoDB has none',
      expect.stringMatching(/^queue: to test it, name a queue/),
    ]);
    expect(lines.filter(({ check }) => check === 'probes')).toHaveLength(7);
    expect(lines.filter(({ check }) => check === 'quotas')).toHaveLength(3);
    expect(code).toBe(0);
    expect(JSON.parse((await stage.cli('workflow list --json')).stdout)).toEqual([]);
  });

  // Two minutes and a half: AWS takes a signature that is up to five minutes off.
  const AHEAD = 'const { now } = Date; Date.now = () => now() + 150_000;';

  test('reports a dead letter, a stuck execution and a wrong clock on a line each', async () => {
    await act(
      stage,
      `
      import { askJson } from './packages/cli/doctor/ask-aws.ts';
      import { openTarget } from './packages/cli/target.ts';
      import { openExecutions } from './lib/app/compose/admin.ts';
      import { readConfig } from './lib/app/config.ts';
      const target = await openTarget({ stage: 'dev' });
      const call = target.openAws('sqs');
      const QueueName = 'hookloom-dev-trigger-dead-letters';
      const { QueueUrl } = await askJson(call, 'AmazonSQS.GetQueueUrl', { QueueName });
      await askJson(call, 'AmazonSQS.SendMessage', { QueueUrl, MessageBody: '{}' });
      const { executions } = openExecutions(readConfig({ ...process.env, TABLE_PREFIX: 'hookloom-dev' }));
      await executions.start(${JSON.stringify(
        anExecutionStart({ executionId: 'stuck', mode: 'express', startedAt: Date.now() - 600_000 }),
      )});`,
    );
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(AHEAD)}` };
    const { code, lines } = await look(stage, ' --no-probes', env);
    expect([code, lines.filter(({ status }) => status === 'wrong').map(({ message }) => message)]).toEqual([
      1,
      expect.arrayContaining([
        expect.stringMatching(/clock/),
        expect.stringMatching(/^stuck of orders was accepted 1\d minutes ago and has not started/),
        'hookloom-dev-trigger-dead-letters has 1 message',
      ]),
    ]);
  });
});

describe('a stage without a variable, an index and two grants, in an account that has no room', () => {
  const stage = useRunningStage({
    args: () => {
      const changed = structuredClone(template) as {
        readonly Resources: Readonly<Record<string, { readonly Properties: Properties }>>;
      };
      const of = (logicalId: string): Properties => {
        const { Properties: found } = changed.Resources[logicalId] ?? {};
        if (found === undefined) throw new Error(`${logicalId} is not in the template`);
        return found;
      };
      delete of('AdminApprovalsLambdaFunction').Environment.Variables.TABLE_PREFIX; // no probe waits for it
      const table = of('RegistrationsTable');
      table.GlobalSecondaryIndexes = table.GlobalSecondaryIndexes?.filter(
        ({ IndexName }) => IndexName !== 'byNodeType',
      );
      table.AttributeDefinitions = table.AttributeDefinitions.filter(
        ({ AttributeName }) => AttributeName !== 'nodeType',
      );
      for (const { PolicyDocument } of of('WebhookRole').Policies)
        for (const statement of PolicyDocument.Statement)
          if (JSON.stringify(statement.Resource).includes('BlobBucket'))
            statement.Action = [statement.Action]
              .flat()
              .map((one) => one.replace('s3:PutObject', 's3:GetObject'));
      for (const policy of of('RunExpressRole').Policies)
        policy.PolicyDocument.Statement = policy.PolicyDocument.Statement.filter(
          ({ Action }) => [Action].flat()[0] !== 'events:PutEvents',
        );
      const file = join(folder, 'spoilt.json');
      writeFileSync(file, JSON.stringify(changed));
      return ['--no-samples', '--template', file, '--concurrency', '1'];
    },
  });

  test('is reported, with a line for each fault, and no probe data is left', async () => {
    const { code, lines } = await look(stage);
    const wrong = lines.filter(({ status }) => status === 'wrong').map(({ message }) => message);
    expect(code).toBe(1);
    expect(wrong).toEqual(
      expect.arrayContaining([
        'adminApprovals does not start: The configuration is invalid: TABLE_PREFIX is not set.',
        'hookloom-dev-registrations lacks the index byNodeType',
        expect.stringMatching(
          /^durable: the request got 503.* webhook is not allowed s3:PutObject on arn:aws:s3:/s,
        ),
        'event bus: the end of a run of runExpress was not published within 10 s',
        expect.stringMatching(/^concurrent executions: \d+ of 1, the quota is exhausted/),
      ]),
    );
    expect(JSON.parse((await stage.cli('workflow list --json')).stdout)).toEqual([]);
  });
});
