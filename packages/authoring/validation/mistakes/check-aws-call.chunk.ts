import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { didYouMean, quote } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { byName } from '../proposals/by-name.ts';
import { proposeKey, proposeValue } from '../proposals/proposal.ts';
import { AWS_OPERATIONS, AWS_SERVICES } from './aws-operations.ts';

interface Operation {
  readonly members: readonly string[];
  readonly required: readonly string[];
}

const services: ReadonlySet<string> = new Set(AWS_SERVICES.trim().split(/\s+/));

/** Other names of services: in IAM, in earlier SDK versions and in everyday use. */
const otherNames = byName([
  ['states stepfunctions', 'sfn'],
  ['events', 'eventbridge'],
  ['logs', 'cloudwatch-logs'],
  ['bedrock', 'bedrock-runtime'],
  ['ses email', 'sesv2'],
  ['cognitoidp', 'cognito-identity-provider'],
  ['es', 'opensearch'],
]);

/** The operations of a covered service; null for others. */
const findOperations = (service: string): ReadonlyMap<string, Operation> | null => {
  const line = AWS_OPERATIONS.split('\n').find((text) => text.startsWith(`${service}: `));
  if (line === undefined) return null;
  const calls = line.slice(service.length + 2, -1).split(') '); // `PutItem(TableName! Item!) Query(…)`
  return new Map(
    calls.map((call) => {
      const [name = '', keys = ''] = call.split('(');
      const members = keys.split(' ').filter((key) => key !== '');
      return [
        name,
        {
          members: members.map((key) => key.replace('!', '')),
          required: members.filter((key) => key.endsWith('!')).map((key) => key.slice(0, -1)),
        },
      ] as const;
    }),
  );
};

/**
 * Checks an AWS call: its service, its operation and the keys of its input. Unknown names are warnings, since AWS adds new
 * ones; a missing required key is an error. Parts with expressions are known only at run time.
 */
export const checkAwsCall = ({ service, operation, input }: JsonObject, path: string): Problem[] => {
  if (typeof service !== 'string' || service.includes('{{')) return [];
  if (!services.has(service)) {
    const near = nearService(service);
    const message = `${quote(service)} is not an AWS SDK client package${didYouMean(near)}`;
    const proposed = proposeValue(`${path}/service`, near);
    return [{ path: `${path}/service`, message, severity: 'warning', ...proposed }];
  }
  const operations = findOperations(service);
  if (operations === null || typeof operation !== 'string' || operation.includes('{{')) return [];
  const known = operations.get(operation.charAt(0).toUpperCase() + operation.slice(1));
  if (known === undefined) {
    const near = findNearest(operation.replace(/Command$/, ''), operations.keys());
    const message = `${service} has no operation ${quote(operation)}${didYouMean(near)}`;
    const proposed = proposeValue(`${path}/operation`, near);
    return [{ path: `${path}/operation`, message, severity: 'warning', ...proposed }];
  }
  return isPlainObject(input ?? {}) ? checkInput((input ?? {}) as JsonObject, known, `${path}/input`) : [];
};

const nearService = (name: string): string | null => {
  const plain = name.replace(/^@aws-sdk\//, '').replace(/^client-/, '');
  const meant = otherNames.get(plain.toLowerCase().replaceAll(/[-_. ]/g, ''));
  if (meant !== undefined) return meant;
  const near = findNearest(plain, services);
  if (near !== null) return near;
  // `S3Bucket`, `DynamoDBTable`
  const word = plain.toLowerCase();
  return [...services].filter((service) => word.startsWith(service)).at(-1) ?? null;
};

const checkInput = (input: JsonObject, { members, required }: Operation, path: string): Problem[] => {
  const missing = new Set(required.filter((key) => !Object.hasOwn(input, key)));
  const absent = members.filter((key) => !Object.hasOwn(input, key));
  const unknown = Object.keys(input).filter((key) => !members.includes(key));
  const problems = unknown.map((key): Problem => {
    const near = findNearest(key, absent);
    const message = `has the key ${quote(key)}, which the operation does not accept${didYouMean(near)}`;
    const isMissing = near !== null && missing.delete(near);
    return { path, message, ...(isMissing ? {} : { severity: 'warning' }), ...proposeKey(path, key, near) };
  });
  for (const key of missing) problems.push({ path, message: `lacks the key ${quote(key)}` });
  return problems;
};
