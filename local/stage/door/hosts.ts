import type { Destination } from './calls/call.ts';

/** Hosts with one region for all. */
const GLOBAL_REGION = 'us-east-1';

/** Services whose scope is named otherwise than their host. */
const SIGNING_NAMES = new Map([
  ['ddb', 'dynamodb'],
  ['email', 'ses'],
]);

/**
 * Which service and region a host of AWS stands for: `sqs.eu-west-1.amazonaws.com`, `BUCKET.s3.eu-west-1.amazonaws.com`,
 * `ID.execute-api.eu-west-1.amazonaws.com`, `sts.amazonaws.com`.
 *
 * @returns null for a host that is none of them
 */
export const readHost = (host: string): Destination | null => {
  const [, name] = /^([a-z0-9.-]+)\.amazonaws\.com(?::443)?$/.exec(host.toLowerCase()) ?? [];
  if (name === undefined) return null;
  const labels = name.split('.');
  const s3 = labels.lastIndexOf('s3');
  if (s3 >= 0 && s3 >= labels.length - 2) {
    const bucket = labels.slice(0, s3).join('.');
    return { service: 's3', region: labels[s3 + 1] ?? GLOBAL_REGION, bucket: bucket === '' ? null : bucket };
  }
  const region = labels.length === 1 ? GLOBAL_REGION : labels.at(-1);
  const service = labels.length === 1 ? labels[0] : labels.at(-2);
  if (region === undefined || service === undefined || !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) return null;
  // One label more is an API of API Gateway, or the account before DynamoDB.
  const isPlain = labels.length <= 2 || (labels.length === 3 && /^(execute-api|ddb)$/.test(service));
  return isPlain ? { service: SIGNING_NAMES.get(service) ?? service, region, bucket: null } : null;
};
