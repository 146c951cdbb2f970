import { fileURLToPath } from 'node:url';
import type { Template } from './cloudformation.ts';
import { findNameProblems } from './names.ts';
import { type Deployment, ParameterError, readParameters } from './parameters.ts';
import type { AwsConfig, StoredData } from './stored-data.ts';
import { explainUpdates, findTableUpdates, keepFirstUpdates } from './table-updates.ts';
import { completeTemplate } from './template.ts';
import { readCommit, toBuildVersion } from './version.ts';

/** The part of the Serverless Framework that our plugins need. */
interface Serverless {
  readonly configurationInput: {
    readonly params?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  readonly processedInput: {
    readonly options: {
      readonly param?: readonly string[];
      readonly stage?: string;
      readonly region?: string;
    };
  };
  readonly service: {
    readonly functions: Record<string, FunctionDefinition>;
    readonly provider: {
      readonly environment?: Record<string, unknown>;
      stackTags?: Readonly<Record<string, string>>;
      readonly compiledCloudFormationTemplate: Template;
    };
  };
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
  readonly pluginManager: { readonly plugins: readonly object[] };
  getProvider(name: 'aws'): {
    readonly naming: { getStackName(): string };
    getRegion(): string;
    getStage(): string;
    getAccountId(): Promise<string>;
    getAwsSdkV3Config(): Promise<AwsConfig>;
  };
}

/** The Framework's utilities for a plugin's output. */
interface Writers {
  readonly log: { warning(text: string): void };
}

interface FunctionDefinition {
  reservedConcurrency?: number;
  tracing?: 'Active';
  environment?: Record<string, unknown>;
  iamRoleStatements?: readonly Statement[];
}

interface Statement {
  readonly Action?: unknown;
  readonly Resource?: unknown;
}

/**
 * A Serverless plugin: reads and checks the parameters of a deployment, and completes functions and template accordingly.
 * Refuses in advance what AWS would refuse in the middle of a deployment.
 */
export default class DeploymentPlugin {
  readonly hooks: Readonly<Record<string, () => void | Promise<void>>>;

  constructor(serverless: Serverless, _options: object, { log }: Writers) {
    const { service, classes } = serverless;
    const refuse = (message: string): never => {
      throw new classes.Error(message, 'DEPLOYMENT_REFUSED');
    };
    let deployment: Deployment;
    let stored: StoredData;
    this.hooks = {
      // Before the statements become roles: this plugin comes first in serverless.yml.
      initialize: () => {
        const provider = serverless.getProvider('aws');
        const raw = mergeParameters(serverless, provider.getStage(), refuse);
        try {
          deployment = readParameters(raw, {
            region: provider.getRegion(),
            functions: Object.keys(service.functions),
          });
        } catch (error) {
          if (!(error instanceof ParameterError)) throw error;
          refuse(error.message);
        }
        const { environment } = service.provider;
        // Here, since the Framework uses it to decide whether a function needs a new version.
        if (environment !== undefined)
          environment.SERVICE_VERSION = toBuildVersion(
            String(environment.SERVICE_VERSION),
            readCommit(PROJECT),
          );
        if (Object.keys(deployment.tags).length > 0) service.provider.stackTags = deployment.tags;
        if (deployment.traces === null) delete service.functions.exportTraces;
        for (const [key, definition] of Object.entries(service.functions))
          completeFunction(definition, deployment, deployment.reservedConcurrency[key]);
      },
      'after:aws:package:finalize:stripNullPropsFromTemplateResources': async () => {
        const provider = serverless.getProvider('aws');
        const template = service.provider.compiledCloudFormationTemplate;
        completeTemplate(template, deployment);
        if (deployment.adoptsData)
          await writeNames(template, await provider.getAccountId(), provider.getRegion());
        const place = { stage: provider.getStage(), region: provider.getRegion() };
        const problems = findNameProblems(template, place);
        if (problems !== null) refuse(problems);
      },
      'before:aws:deploy:deploy:createStack': async () => {
        const { findStoredData, findStoredProblem, namesOfStored } = await loadStoredData();
        const provider = serverless.getProvider('aws');
        const place = { accountId: await provider.getAccountId(), region: provider.getRegion() };
        const wanted = namesOfStored(service.provider.compiledCloudFormationTemplate, place);
        const config = await provider.getAwsSdkV3Config();
        stored = await findStoredData(wanted, provider.naming.getStackName(), config);
        const { adoptsData: adopts } = deployment;
        const problem = findStoredProblem(stored, { adopts, stage: provider.getStage() });
        if (problem !== null) refuse(problem);
        if (stored.unseen !== null)
          log.warning(
            `Not all of the stage's data could be checked, see docs/stored-data.md: ${stored.unseen}`,
          );
        const { tables, inStack } = stored;
        const updates = findTableUpdates(service.provider.compiledCloudFormationTemplate, tables);
        if (deployment.tableUpdates === 'first') keepFirstUpdates(updates);
        else {
          const several = explainUpdates(updates, inStack, commandOf(serverless));
          if (several !== null) refuse(several);
        }
        if (adopts) importExisting(serverless.pluginManager.plugins, refuse);
      },
      'after:aws:deploy:deploy:updateStack': async () => {
        if (!stored.isNew) return;
        const { noteNewStage } = await loadStoredData();
        await noteNewStage(stored, await serverless.getProvider('aws').getAwsSdkV3Config());
      },
    };
  }
}

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Merges parameters as the Framework does: the command line wins, then the stage's block, then the default. */
const mergeParameters = (
  { configurationInput: { params = {} }, processedInput: { options } }: Serverless,
  stage: string,
  refuse: (message: string) => never,
): Readonly<Record<string, unknown>> => {
  const given = (options.param ?? []).map((text) => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const known = Object.keys(params.default ?? {});
  const unknown = [...given.map(([name]) => name), ...Object.keys(params[stage] ?? {})].filter(
    (name) => !known.includes(name),
  );
  if (unknown.length > 0)
    refuse(`Unknown parameter: ${unknown.join(', ')}. Parameters are: ${known.join(', ')}`);
  return { ...params.default, ...params[stage], ...Object.fromEntries(given) };
};

/** The command of this deployment, to be typed again. */
const commandOf = ({ processedInput: { options } }: Serverless): string =>
  [
    'npx serverless deploy',
    ...(['stage', 'region'] as const).flatMap((name) =>
      options[name] === undefined ? [] : [`--${name} ${options[name]}`],
    ),
    ...(options.param ?? []).map((param) => `--param="${param}"`),
  ].join(' ');

/** Loads three AWS clients that only deployments need. */
const loadStoredData = () => import('./stored-data.ts');

/** CloudFormation finds existing resources only by names without functions. */
const writeNames = async (template: Template, accountId: string, region: string): Promise<void> => {
  const { namesOfStored } = await loadStoredData();
  const { BlobBucket } = template.Resources;
  const name = namesOfStored(template, { accountId, region }).BlobBucket;
  if (BlobBucket?.Properties !== undefined && name !== undefined) BlobBucket.Properties.BucketName = name;
};

/** The parts of the Framework that create the parameters of a change set. */
interface MakesChangeSets {
  getCreateChangeSetParams?: (options: object) => object;
}

/**
 * Makes this deployment's change sets import resources that already exist under a name of the template, for which the
 * Framework has no setting.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
 */
const importExisting = (plugins: readonly MakesChangeSets[], refuse: (message: string) => never): void => {
  const makers = plugins.filter((plugin) => plugin.getCreateChangeSetParams !== undefined);
  if (makers.length === 0) refuse("This version of the Framework can't adopt: see docs/deploying.md");
  for (const plugin of makers) {
    const make = plugin.getCreateChangeSetParams?.bind(plugin);
    plugin.getCreateChangeSetParams = (options) => ({ ...make?.(options), ImportExistingResources: true });
  }
};

const completeFunction = (
  definition: FunctionDefinition,
  { eventBus, domain, hasTracing, traces }: Deployment,
  reserved: number | undefined,
): void => {
  const { environment, iamRoleStatements } = definition;
  if (reserved !== undefined) definition.reservedConcurrency = reserved;
  // Not in the template: the Framework uses a function's settings to decide whether it needs a new version.
  if (domain !== null && environment !== undefined && Object.hasOwn(environment, 'PUBLIC_URL'))
    environment.PUBLIC_URL = `https://${domain.name}`;
  if (hasTracing) definition.tracing = 'Active';
  if (iamRoleStatements !== undefined)
    definition.iamRoleStatements = iamRoleStatements.map((statement) => {
      const { Action, Resource } = statement;
      if ([Action].flat().includes('events:PutEvents'))
        return { ...statement, Resource: toBusArns(eventBus) };
      const isForTraces = [Action].flat().includes('lambda:InvokeFunction') && [Resource].flat().length === 0;
      return isForTraces && traces !== null ? { ...statement, Resource: EXPORT_TRACES } : statement;
    });
  if (hasTracing) definition.iamRoleStatements = [...(definition.iamRoleStatements ?? []), TRACING];
};

const EXPORT_TRACES = { 'Fn::GetAtt': ['ExportTracesLambdaFunction', 'Arn'] };

/** X-Ray's actions support no resource ARN. */
const TRACING = {
  Effect: 'Allow',
  Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  Resource: '*',
};

const toBusArns = (eventBus: Deployment['eventBus']): readonly unknown[] => {
  if (eventBus === null) return [];
  if ('arn' in eventBus) return [eventBus.arn];
  return [
    {
      'Fn::Sub': `arn:\${AWS::Partition}:events:\${AWS::Region}:\${AWS::AccountId}:event-bus/${eventBus.name}`,
    },
  ];
};
