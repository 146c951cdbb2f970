import DeploymentPlugin from '../../resources/deployment.ts';
import type { AwsConfig } from '../../resources/stored-data.ts';

const throttles = {
  webhookRate: 5,
  webhookBurst: 9,
  callbackRate: 4,
  callbackBurst: 8,
  adminRate: 3,
  adminBurst: 7,
};

export interface FrameworkOptions {
  readonly param?: readonly string[];
  readonly stageParams?: Readonly<Record<string, unknown>>;
  readonly stage?: string;
  readonly region?: string;
  readonly Resources?: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  readonly aws?: AwsConfig;
}

/** The plugin of deployments, in a Framework that has read a serverless.yml with one function that publishes events. */
export const aFramework = ({
  param = [],
  stageParams = {},
  stage = 'dev',
  region = 'eu-central-1',
  Resources = {},
  aws = {},
}: FrameworkOptions) => {
  const statement = { Effect: 'Allow', Action: ['events:PutEvents'], Resource: 'as written' }; // the Framework makes lists of actions
  const pings = { Effect: 'Allow', Action: ['lambda:InvokeFunction'], Resource: [] };
  const functions = {
    run: { iamRoleStatements: [statement, pings] },
    exportTraces: { iamRoleStatements: [] },
  };
  const serverless = {
    configurationInput: {
      params: {
        default: {
          eventBus: 'none',
          traces: 'none',
          tags: 'none',
          adoptData: false,
          blobBucket: 'stage',
          tableUpdates: 'all',
          ...throttles,
          routeMetrics: false,
          kmsKey: 'none',
        },
        [stage]: stageParams,
      },
    },
    processedInput: { options: { param, stage } },
    service: {
      functions,
      provider: {
        environment: { SERVICE_VERSION: '1.2.3' },
        compiledCloudFormationTemplate: { Resources },
      } as {
        environment: Record<string, unknown>;
        stackTags?: Readonly<Record<string, string>>;
        compiledCloudFormationTemplate: { Resources: typeof Resources };
      },
    },
    classes: { Error },
    pluginManager: { plugins: [] },
    getProvider: () => ({
      naming: { getStackName: () => `hookloom-${stage}` },
      getRegion: () => region,
      getStage: () => stage,
      getAccountId: async () => '123456789012',
      getAwsSdkV3Config: async () => aws,
    }),
  };
  const warnings: string[] = [];
  const log = { warning: (text: string) => warnings.push(text) };
  const { hooks } = new DeploymentPlugin(serverless, {}, { log });
  return {
    service: serverless.service,
    run: functions.run,
    initialize: () => hooks.initialize?.(),
    warnings,
    /** Until the Framework makes or changes the stack. */
    begin: async () => {
      await hooks.initialize?.();
      await hooks['before:aws:deploy:deploy:createStack']?.();
    },
    /** Once the stack is as the template has it. */
    end: async () => hooks['after:aws:deploy:deploy:updateStack']?.(),
    finish: () => hooks['after:aws:package:finalize:stripNullPropsFromTemplateResources']?.(),
  };
};
