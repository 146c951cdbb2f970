import type { Template, TemplateResource } from './cloudformation.ts';

/** The name property of a resource type and the maximum length that AWS allows. */
const NAMES: Readonly<
  Record<string, { readonly property: string; readonly kind: string; readonly max: number }>
> = {
  'AWS::IAM::Role': { property: 'RoleName', kind: 'role', max: 64 },
  'AWS::Lambda::Function': { property: 'FunctionName', kind: 'function', max: 64 },
  'AWS::S3::Bucket': { property: 'BucketName', kind: 'bucket', max: 63 },
  'AWS::Scheduler::ScheduleGroup': { property: 'Name', kind: 'schedule group', max: 64 },
  'AWS::SQS::Queue': { property: 'QueueName', kind: 'queue', max: 80 },
  'AWS::DynamoDB::Table': { property: 'TableName', kind: 'table', max: 255 },
  'AWS::Logs::LogGroup': { property: 'LogGroupName', kind: 'log group', max: 512 },
  'AWS::ApiGatewayV2::Api': { property: 'Name', kind: 'API', max: 128 },
  'AWS::CloudWatch::Alarm': { property: 'AlarmName', kind: 'alarm', max: 255 },
  'AWS::CloudWatch::Dashboard': { property: 'DashboardName', kind: 'dashboard', max: 255 },
};

/**
 * Finds the names that AWS would refuse in the middle of a deployment.
 *
 * @returns null, or a message that lists them and the maximum length of the stage's name
 */
export const findNameProblems = (
  { Resources }: Template,
  { stage, region }: { readonly stage: string; readonly region: string },
): string | null => {
  // Permissions tell stages apart by capital letters: scripts/policy/stage-names.ts.
  if (/-.*[A-Z]/.test(stage))
    return `The stage "${stage}" has a capital letter after a dash, so that permissions for other stages would include it. Choose a stage without capital letters`;
  const found = Object.entries(Resources).flatMap(([id, resource]) => {
    const named = resourceNameOf(resource, region);
    if (named === null) return [];
    const { name, kind, max } = named;
    const over = name.length - max;
    const hasCapitals = kind === 'bucket' && /[A-Z]/.test(name);
    return [
      ...(over > 0
        ? [
            {
              over,
              text: `${id}: "${name}" has ${name.length} characters, ${over} more than the ${max} of a ${kind}`,
            },
          ]
        : []),
      ...(hasCapitals
        ? [{ over: 0, text: `${id}: "${name}" has capital letters, which a ${kind} can't have` }]
        : []),
    ];
  });
  if (found.length === 0) return null;
  const over = Math.max(...found.map((one) => one.over));
  const remedy =
    over === 0
      ? 'Choose a stage without capital letters'
      : `Choose a stage of at most ${stage.length - over} characters: "${stage}" has ${stage.length}`;
  return [
    `With the stage "${stage}", AWS would refuse these names in ${region}:`,
    ...found.map(({ text }) => `  ${text}`),
    `${remedy}. For the bucket only: --param="blobBucket=NAME"`,
  ].join('\n');
};

/** @returns null for a resource without a name, or with a name known only to a deployment */
const resourceNameOf = ({ Type, Properties = {} }: TemplateResource, region: string) => {
  const place = Object.hasOwn(NAMES, Type) ? NAMES[Type] : undefined;
  const value = place === undefined ? undefined : Properties[place.property];
  const text = (value as { 'Fn::Sub'?: unknown } | undefined)?.['Fn::Sub'] ?? value;
  if (place === undefined || typeof text !== 'string') return null;
  const known: Readonly<Record<string, string>> = {
    Region: region,
    AccountId: '0'.repeat(12),
    Partition: 'aws',
  };
  const name = text.replaceAll(/\$\{AWS::(\w+)\}/g, (whole, variable: string) => known[variable] ?? whole);
  return name.includes('$') ? null : { ...place, name };
};
