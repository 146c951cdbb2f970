import type { PolicyDocument } from 'lambda-stage/door';
import type { PackageSettings } from './package-stage.ts';

/** Settings of a deployment, each written into serverless.yml as its documentation says. */
interface DeployerSettings {
  /** The variables under `provider.environment`: docs/operating.md, Settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** The names of the queues in `custom.triggerQueues`: docs/operating.md, Queues. */
  readonly queues: readonly string[];
  /** The statements in `custom.workflowStatements`: docs/aws-node.md, Permissions. */
  readonly workflowStatements: readonly object[];
}

/** The edits that write these settings into a serverless.yml. */
const toEdits = (
  { environment, queues, workflowStatements }: DeployerSettings,
  { region, account }: { readonly region: string; readonly account: string },
): PackageSettings['edits'] => {
  const { LOG_LEVEL = 'info', ...others } = environment;
  const lines = Object.entries({ LOG_LEVEL, ...others }).map(
    ([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`,
  );
  const arns = queues.map((name) => `arn:aws:sqs:${region}:${account}:${name}`);
  return [
    ['    LOG_LEVEL: info\n', lines.join('')],
    ['triggerQueues: &triggerQueues []', `triggerQueues: &triggerQueues ${JSON.stringify(arns)}`],
    ['workflowStatements: []', `workflowStatements: ${JSON.stringify(workflowStatements)}`],
  ];
};

/** What the samples need: stand-in, queue, table and bucket. */
export const sampleSettings: DeployerSettings = {
  environment: { OUTBOUND_ALLOW: '127.0.0.1', WORKFLOW_CACHE_SECONDS: '0' },
  queues: ['orders.fifo', 'checks'],
  workflowStatements: [
    { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::imports/*' },
    { Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: 'arn:aws:dynamodb:*:*:table/sample-orders' },
  ],
};

interface Place {
  readonly stage: string;
  readonly region: string;
  readonly account: string;
}

/** Packaging options with the samples' settings, and further variables and parameters. */
export const toPackageSettings = (
  project: string,
  place: Place,
  environment: Readonly<Record<string, string>> = {},
  params: Readonly<Record<string, string>> = {},
): PackageSettings => {
  const { stage, region } = place;
  const settings = { ...sampleSettings, environment: { ...sampleSettings.environment, ...environment } };
  return { project, stage, region, params, edits: toEdits(settings, place) };
};

/** Reads the policies in documentation pages, each between the comments `<!-- NAME-policy -->` and `<!-- /NAME-policy -->`. */
export const readPolicies = (
  pages: string,
  place: Place & { readonly apiId: string },
): Readonly<Record<string, readonly PolicyDocument[]>> => {
  const found = [...pages.matchAll(/<!-- ([a-z]+)(?:Data|Roles)?-policy -->\s*```json\n([^`]*)```/g)];
  const policies = found.map(([, name = '', json = '']) => {
    const own = json
      .replaceAll('STAGE', place.stage)
      .replaceAll('REGION', place.region)
      .replaceAll('ACCOUNT', place.account)
      .replaceAll('API_ID', place.apiId);
    return { name, policy: JSON.parse(own) as PolicyDocument };
  });
  const byName = Map.groupBy(policies, ({ name }) => name);
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.map(({ policy }) => policy)]));
};
