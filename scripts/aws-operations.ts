import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AWS_SERVICES } from '../packages/authoring/validation/mistakes/aws-operations.ts';

// Writes the AWS operations that validation knows: those of some services, with the members of their inputs. The source
// is the schemas in the client packages of the AWS SDK for JavaScript, which workflows' calls use:
//
//   npm install --prefix FOLDER --ignore-scripts $(npx node scripts/aws-operations.ts)
//   npx node scripts/aws-operations.ts FOLDER
//
// The names of all services are kept; add new ones by hand.

/** Services whose operations are known: those named in docs and samples, and others that workflows often call. */
const COVERED = [
  'athena',
  'bedrock-agent-runtime',
  'bedrock-runtime',
  'cloudwatch',
  'cloudwatch-logs',
  'comprehend',
  'dynamodb',
  'dynamodb-streams',
  'ecs',
  'eventbridge',
  'firehose',
  'kinesis',
  'kms',
  'lambda',
  'polly',
  'rds-data',
  'redshift-data',
  'rekognition',
  's3',
  'scheduler',
  'secrets-manager',
  'sesv2',
  'sfn',
  'sns',
  'sqs',
  'ssm',
  'sts',
  'textract',
  'translate',
];

/** What the clients export of a service's model: kind, namespace, name, traits, and more by kind. */
type Schema = readonly unknown[];

const OPERATION = 9;

/** A bit in the traits of a member: the SDK generates such a token. */
const IDEMPOTENCY_TOKEN = 4;

const isOperation = (value: unknown): value is Schema => Array.isArray(value) && value[0] === OPERATION;

/** Returns a schema, which may be a function that returns it, since schemas refer to one another. */
const toSchema = (value: unknown): Schema => {
  const schema = typeof value === 'function' ? toSchema(value()) : value;
  return Array.isArray(schema) ? schema : [];
};

const isToken = (member: unknown): boolean => {
  const traits = Array.isArray(member) ? member[1] : 0;
  return typeof traits === 'number' && (traits & IDEMPOTENCY_TOKEN) !== 0;
};

/** Describes an operation, as in `PutItem(TableName! Item! Expected)`: `!` marks required members. */
const describeOperation = ([, , name, , input]: Schema): string => {
  const schema = toSchema(input);
  const [keys, members, required] = [schema[4] ?? [], schema[5] ?? [], schema[6] ?? 0] as [
    string[],
    Schema,
    number,
  ];
  // Required members come first.
  const marked = keys.map((key, at) => `${key}${at < required && !isToken(members[at]) ? '!' : ''}`);
  return `${name}(${marked.join(' ')})`;
};

const writeTable = (folder: string): void => {
  const require = createRequire(join(folder, 'package.json'));
  const versions: string[] = [];
  const lines = COVERED.map((service) => {
    const file = require.resolve(`@aws-sdk/client-${service}`);
    const { version } = JSON.parse(readFileSync(join(file, '../../package.json'), 'utf8')) as {
      version: string;
    };
    versions.push(version);
    const operations = Object.values(require(file) as object)
      .filter(isOperation)
      .map(describeOperation);
    return `${service}: ${operations.toSorted().join(' ')}`;
  });
  const latest = versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  writeFileSync(
    new URL('../packages/authoring/validation/mistakes/aws-operations.ts', import.meta.url),
    `// The operations are written by scripts/aws-operations.ts, of the packages @aws-sdk/client-* up to ${latest}. The names were those in
// the models of botocore 1.43.107, and a new one is added by hand.

/** All services, by the names of the SDK's client packages. */
export const AWS_SERVICES = \`${AWS_SERVICES}\`;

/** A line for each service that is covered; \`!\` marks the members of an input that a call needs. */
export const AWS_OPERATIONS = \`
${lines.join('\n')}
\`;
`,
  );
};

const [folder] = process.argv.slice(2);
if (folder !== undefined) writeTable(folder);
else process.stdout.write(`${COVERED.map((service) => `@aws-sdk/client-${service}`).join(' ')}\n`);
