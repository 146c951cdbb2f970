import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packageStage } from '../../packages/local/stage/package-stage.ts';
import { useRunningStage } from '../support/a-running-stage.ts';
import { cases } from '../support/deep.ts';
import { sharedByRun } from '../support/shared-by-run.ts';
import { type CheckName as Check, runCheck } from '../support/stage-checks.ts';
import { stagePackage } from '../support/stage-package.ts';

// What the template lacks is missing in a test: a variable or a grant that is taken out of it makes a check of the stage's
// suite fail. That suite shows that each check passes with the whole template.

interface Statement {
  Action: string | string[];
  readonly Resource: unknown;
}

interface Resource {
  readonly Properties: {
    readonly Environment?: { readonly Variables: Record<string, unknown> };
    readonly Policies?: readonly { readonly PolicyDocument: { Statement: Statement[] } }[];
  };
}

type Resources = Record<string, Resource>;

/** By function: the variable, and the check that needs it. */
const variables: readonly (readonly [logicalId: string, name: string, check: Check])[] = [
  ['WebhookLambdaFunction', 'TABLE_PREFIX', 'a webhook answers with what its workflow gives'],
  ['WebhookLambdaFunction', 'RUN_EXPRESS_FUNCTION', 'an express run ends'],
  ['WebhookLambdaFunction', 'BLOB_BUCKET', 'a large request is kept for a run in the background'],
  [
    'WebhookLambdaFunction',
    'WORKFLOW_ROLE',
    'a node calls AWS with the role for workflows, and with no more',
  ],
  ['RunDurableLambdaFunction', 'PUBLIC_URL', 'a durable run ends'],
  ['RunDurableLambdaFunction', 'BLOB_BUCKET', 'a durable run ends'],
  ['RunExpressLambdaFunction', 'TABLE_PREFIX', 'an express run ends'],
  ['RunExpressLambdaFunction', 'SWEEP_FUNCTION', 'an express run ends'],
  ['DispatchLambdaFunction', 'RUN_EXPRESS_FUNCTION', 'an event starts its workflow'],
  [
    'AdminHealthLambdaFunction',
    'TABLE_PREFIX',
    'every admin route answers an operator, and nobody without a signature',
  ],
];

/** By role: the action, what its resource has in it, and the check that needs it. */
const grants: readonly (readonly [role: string, action: string, resource: string, check: Check])[] = [
  ['WebhookRole', 'dynamodb:PutItem', 'ExecutionsTable', 'a webhook answers with what its workflow gives'],
  ['WebhookRole', 'lambda:InvokeFunction', 'runExpress', 'an express run ends'],
  ['WebhookRole', 's3:PutObject', 'BlobBucket', 'a large request is kept for a run in the background'],
  ['WebhookRole', 'ssm:GetParameters', 'credentials', 'a secret is read for a signature'],
  ['WebhookRole', 'dynamodb:GetItem', 'WorkflowsTable', 'a webhook answers with what its workflow gives'],
  ['RunExpressRole', 'dynamodb:UpdateItem', 'ExecutionsTable', 'an express run ends'],
  ['RunExpressRole', 's3:GetObject', 'BlobBucket', 'a large request is kept for a run in the background'],
  [
    'RunDurableRole',
    'lambda:CheckpointDurableExecution',
    'runDurable',
    'an approval waits, and its answer resumes the run',
  ],
  [
    'WebhookCallbackRole',
    'lambda:SendDurableExecutionCallbackSuccess',
    'runDurable',
    'an approval waits, and its answer resumes the run',
  ],
  ['SchedulerRole', 'lambda:InvokeFunction', 'Dispatch', 'a schedule starts its workflow'],
  ['DispatchRole', 'sqs:ReceiveMessage', 'checks', 'a message starts its workflow'],
  [
    'AdminCancelExecutionRole',
    'lambda:StopDurableExecution',
    'runDurable',
    'an execution is listed, shown, retried and cancelled',
  ],
];

let folder: string;
let packaged: Awaited<ReturnType<typeof packageStage>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-mutated-'));
  await sharedByRun('stage-package');
  packaged = await packageStage(stagePackage());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A stage of the template as it is after a change. */
const useMutatedStage = (name: string, mutate: (resources: Resources) => void) =>
  useRunningStage({
    args: () => {
      const template = structuredClone(packaged.template) as unknown as { readonly Resources: Resources };
      mutate(template.Resources);
      if (JSON.stringify(template) === JSON.stringify(packaged.template))
        throw new Error(`${name} is not in the template`);
      const file = join(folder, `${name.replaceAll(/\W/g, '-')}.json`);
      writeFileSync(file, JSON.stringify(template));
      return ['--no-samples', '--template', file];
    },
  });

/** Each starts a stage. */
const few = <T>(all: readonly T[]): readonly T[] =>
  cases(
    all.filter((_, at) => at % 4 === 0),
    all,
  );

const failure = (check: Promise<void>): Promise<string> =>
  check.then(
    () => 'none',
    (error: Error) => `failed: ${error.message}`,
  );

describe.each(few(variables))('without the variable of %s: %s', (logicalId, variable, check) => {
  const stage = useMutatedStage(`${logicalId}-${variable}`, (resources) => {
    delete resources[logicalId]?.Properties.Environment?.Variables[variable];
  });
  test(`"${check}" fails`, async () => {
    expect(await failure(runCheck(stage, check))).toMatch(/^failed/);
  });
});

describe.each(few(grants))('without the grant of %s: %s for %s', (role, action, resource, check) => {
  const stage = useMutatedStage(`${role}-${action}-${resource}`, (resources) => {
    for (const { PolicyDocument } of resources[role]?.Properties.Policies ?? []) {
      for (const statement of PolicyDocument.Statement) {
        if (JSON.stringify(statement.Resource).includes(resource))
          statement.Action = [statement.Action].flat().filter((one) => one !== action);
      }
      PolicyDocument.Statement = PolicyDocument.Statement.filter(({ Action }) => Action.length > 0);
    }
  });
  test(`"${check}" fails`, async () => {
    expect(await failure(runCheck(stage, check))).toMatch(/^failed/);
  });
});

describe('without the permission of EventBridge to invoke the function', () => {
  const stage = useMutatedStage('DispatchPermissionOfRules', (resources) => {
    delete resources.DispatchPermissionOfRules;
  });
  test('"an event starts its workflow" fails', async () => {
    expect(await failure(runCheck(stage, 'an event starts its workflow'))).toMatch(/^failed/);
  });
});
