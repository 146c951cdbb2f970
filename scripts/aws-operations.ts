import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

// Writes what the validation knows of AWS: the names of all services, and the operations of some with the members of their
// inputs. Its source is the models in botocore, the core of AWS's SDK for Python:
//
//   pip download botocore --no-deps && unzip botocore-*.whl
//   npx node scripts/aws-operations.ts botocore/data VERSION

/** Services whose operations are known: those that docs and samples name, and others that workflows often call. */
const COVERED = [
  ...['athena', 'bedrock-agent-runtime', 'bedrock-runtime', 'cloudwatch', 'cloudwatch-logs', 'comprehend'],
  ...['dynamodb', 'dynamodb-streams', 'ecs', 'eventbridge', 'firehose', 'kinesis', 'kms', 'lambda', 'polly'],
  ...[
    'rds-data',
    'redshift-data',
    'rekognition',
    's3',
    'scheduler',
    'secrets-manager',
    'sesv2',
    'sfn',
    'sns',
  ],
  ...['sqs', 'ssm', 'sts', 'textract', 'translate'],
];

interface Shape {
  readonly members?: Readonly<Record<string, { readonly idempotencyToken?: boolean }>>;
  readonly required?: readonly string[];
}

interface Model {
  readonly metadata: { readonly serviceId: string };
  readonly operations: Readonly<Record<string, { readonly input?: { readonly shape: string } }>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

const [folder = '', version = ''] = process.argv.slice(2);

const readModel = (service: string): Model | null => {
  const files = readdirSync(join(folder, service))
    .toSorted()
    .map((date) => join(folder, service, date, 'service-2.json.gz'))
    .filter((file) => existsSync(file));
  const file = files.at(-1);
  return file === undefined ? null : JSON.parse(gunzipSync(readFileSync(file)).toString());
};

/** `PutItem(TableName! Item! Expected)`: `!` marks what a call needs. The SDK makes tokens of idempotency up. */
const describe = ({ operations, shapes }: Model): string =>
  Object.entries(operations)
    .map(([name, { input }]) => {
      const { members = {}, required = [] }: Shape = shapes[input?.shape ?? ''] ?? {};
      const keys = Object.entries(members).map(
        ([key, { idempotencyToken }]) =>
          `${key}${required.includes(key) && idempotencyToken !== true ? '!' : ''}`,
      );
      return `${name}(${keys.join(' ')})`;
    })
    .join(' ');

const models = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readModel(name) ?? []);
const byName = new Map(
  models.map((model) => [model.metadata.serviceId.toLowerCase().replaceAll(' ', '-'), model] as const),
);
const lines = COVERED.map((name) => {
  const model = byName.get(name);
  if (model === undefined) throw new Error(`there is no model of ${name}`);
  return `${name}: ${describe(model)}`;
});

writeFileSync(
  new URL('../lib/workflows/validation/mistakes/aws-operations.ts', import.meta.url),
  `// Written by scripts/aws-operations.ts, of the models in botocore ${version}.

/** All services, by the names of the SDK's client packages. */
export const AWS_SERVICES = \`
${[...byName.keys()].toSorted().join('\n')}
\`;

/** A line for each service that is covered; \`!\` marks the members of an input that a call needs. */
export const AWS_OPERATIONS = \`
${lines.join('\n')}
\`;
`,
);
