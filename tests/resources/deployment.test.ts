import { describe, expect, test } from '@jest/globals';
import { aFramework, type FrameworkOptions } from '../support/a-framework.ts';

describe('the parameters of a deployment', () => {
  test('prefer the command line over the block of the stage, and that over the default', () => {
    const fromStage = aFramework({ stageParams: { tags: 'team=a' } });
    fromStage.initialize();
    expect(fromStage.service.provider.stackTags).toEqual({ team: 'a' });
    const fromCommand = aFramework({ stageParams: { tags: 'team=a' }, param: ['tags=team=b'] });
    fromCommand.initialize();
    expect(fromCommand.service.provider.stackTags).toEqual({ team: 'b' });
  });

  test('include the valid names when one does not exist', () => {
    const { initialize } = aFramework({ param: ['eventbus=default'] });
    expect(initialize).toThrow(
      /^Unknown parameter: eventbus\. Parameters are: eventBus, traces, tags, adoptData, /,
    );
  });

  test('are refused before anything is created when AWS would refuse a value', () => {
    expect(aFramework({ param: ['eventBus=my bus'] }).initialize).toThrow(/^eventBus must be the name/);
  });
});

describe('metrics of each route', () => {
  const settingsOf = async (param: readonly string[]) => {
    const route = (RouteKey: string) => ({ Type: 'AWS::ApiGatewayV2::Route', Properties: { RouteKey } });
    const Resources = {
      Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: {} as Record<string, unknown> },
      Hooks: route('ANY /api/webhook/{workflowId}'),
      Debug: route('GET /api/admin/debug'),
    };
    const { initialize, finish } = aFramework({ param, Resources });
    await initialize();
    await finish();
    const { DefaultRouteSettings: all, RouteSettings: each = {} } = Resources.Stage.Properties;
    return [all, ...Object.values(each as object)].map(
      ({ DetailedMetricsEnabled }) => DetailedMetricsEnabled,
    );
  };

  test('are counted only if a parameter asks for it', async () => {
    expect(await settingsOf([])).toEqual([false, false]);
    expect(await settingsOf(['routeMetrics=true'])).toEqual([true, true]);
  });
});

describe('the statement that allows publishing', () => {
  const resourcesFor = (eventBus: string) => {
    const { run, initialize } = aFramework({ param: [`eventBus=${eventBus}`] });
    initialize();
    return run.iamRoleStatements.slice(0, 1).map(({ Resource }) => Resource);
  };
  const ARN = 'arn:aws:events:eu-central-1:210987654321:event-bus/orders';

  test('names the bus by ARN, and does not exist without one', () => {
    expect(resourcesFor('none')).toEqual([[]]);
    expect(resourcesFor(ARN)).toEqual([[ARN]]);
    expect(resourcesFor('shop')).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation
      [{ 'Fn::Sub': 'arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/shop' }],
    ]);
  });
});

describe('the function that sends traces', () => {
  const withTraces = (traces: string) => {
    const { service, run, initialize } = aFramework({ param: [`traces=${traces}`] });
    initialize();
    return { keys: Object.keys(service.functions), pings: run.iamRoleStatements.at(-1) };
  };

  test('exists, and may be pinged, only if the parameter names a collector', () => {
    expect(withTraces('none')).toMatchObject({ keys: ['run'], pings: { Resource: [] } });
    expect(withTraces('https://collector.example.com/v1/traces')).toMatchObject({
      keys: ['run', 'exportTraces'],
      pings: { Resource: { 'Fn::GetAtt': ['ExportTracesLambdaFunction', 'Arn'] } },
    });
  });
});

describe('a name that is too long', () => {
  const scheduler = (stage: string) => ({
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: { RoleName: { 'Fn::Sub': `hookloom-${stage}-\${AWS::Region}-scheduler` } },
      },
    },
    stage,
  });
  const refusalOf = async (options: FrameworkOptions): Promise<string> => {
    const { initialize, finish } = aFramework(options);
    initialize();
    try {
      await finish();
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  test('is refused with its length, the limit, and how long the stage may be, for the region', async () => {
    const stage = 's'.repeat(31);
    expect(await refusalOf({ ...scheduler(stage), region: 'eu-west-1' })).toBe('');
    expect(await refusalOf({ ...scheduler(stage), region: 'ap-southeast-1' })).toBe(
      [
        `With the stage "${stage}", AWS would refuse these names in ap-southeast-1:`,
        `  Role: "hookloom-${stage}-ap-southeast-1-scheduler" has 65 characters, 1 more than the 64 of a role`,
        `Choose a stage of at most 30 characters: "${stage}" has 31. For the bucket only: --param="blobBucket=NAME"`,
      ].join('\n'),
    );
  });

  test('is distinguished from a bucket name with capital letters', async () => {
    const Properties = { BucketName: 'hookloom-Dev-blobs' };
    const Resources = { BlobBucket: { Type: 'AWS::S3::Bucket', Properties } };
    expect(await refusalOf({ Resources, stage: 'Dev' })).toMatch(
      /BlobBucket: "hookloom-Dev-blobs" has capital letters, which a bucket can't have\nChoose a stage without/,
    );
  });
});

test('a stage with a capital letter after a dash is refused: permissions for the stage before it would include it', async () => {
  const { initialize, finish } = aFramework({ stage: 'prod-Eu', param: ['blobBucket=generated'] });
  initialize();
  await expect(finish()).rejects.toThrow(/^The stage "prod-Eu" has a capital letter after a dash/);
});

describe('a key of one’s own', () => {
  const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
  const run = async (param: readonly string[]) => {
    const policyOf = (Action: string) => ({
      PolicyName: 'function',
      PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: 'a' }] },
    });
    const Resources = {
      Run: { Type: 'AWS::Lambda::Function', Properties: { DurableConfig: { ExecutionTimeout: 9 } } },
      Other: { Type: 'AWS::Lambda::Function', Properties: {} as Record<string, unknown> },
      RunRole: {
        Type: 'AWS::IAM::Role',
        Properties: { Policies: [policyOf('lambda:GetDurableExecutionState')] },
      },
      OtherRole: { Type: 'AWS::IAM::Role', Properties: { Policies: [policyOf('lambda:InvokeFunction')] } },
    };
    const { initialize, finish } = aFramework({ param, Resources });
    initialize();
    await finish();
    const services = [Resources.RunRole, Resources.OtherRole].map(({ Properties }) =>
      /"lambda\.\$/.test(JSON.stringify(Properties)),
    );
    return [Resources.Run.Properties.DurableConfig, Resources.Other.Properties.DurableConfig, services];
  };

  test('encrypts the data of durable executions, which only their functions may decrypt', async () => {
    expect(await run([`kmsKey=${KEY}`])).toEqual([
      { ExecutionTimeout: 9, KMSKeyArn: KEY },
      undefined,
      [true, false],
    ]);
    expect(await run([])).toEqual([{ ExecutionTimeout: 9 }, undefined, [false, false]]);
  });
});

describe('the bucket of a stage', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation
  const BucketName = { 'Fn::Sub': 'hookloom-dev-${AWS::AccountId}-${AWS::Region}' };
  const nameWith = async (param: readonly string[]): Promise<unknown> => {
    const bucket = { Type: 'AWS::S3::Bucket', Properties: { BucketName } as Record<string, unknown> };
    const { initialize, finish } = aFramework({ param, Resources: { BlobBucket: bucket } });
    initialize();
    await finish();
    return bucket.Properties.BucketName;
  };

  test('has the configured name, or one generated by CloudFormation', async () => {
    expect(await nameWith([])).toEqual(BucketName);
    expect(await nameWith(['blobBucket=generated'])).toBeUndefined();
    expect(await nameWith(['blobBucket=mine'])).toBe('mine');
  });

  test('has a name without functions when it is adopted, since CloudFormation finds no other', async () => {
    expect(await nameWith(['adoptData=true'])).toBe('hookloom-dev-123456789012-eu-central-1');
    expect(await nameWith(['adoptData=true', 'blobBucket=mine'])).toBe('mine');
  });
});
