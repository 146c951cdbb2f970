import type { Destination } from './calls/call.ts';

/** Global hosts, which have a single region. */
const GLOBAL_REGION = 'us-east-1';

/** Services whose scope name differs from their host. */
const SIGNING_NAMES = new Map([
  ['ddb', 'dynamodb'],
  ['email', 'ses'],
]);

/**
 * The service and region of an AWS host: `sqs.eu-west-1.amazonaws.com`, `BUCKET.s3.eu-west-1.amazonaws.com`,
 * `ID.execute-api.eu-west-1.amazonaws.com`, `sts.amazonaws.com`.
 *
 * @returns null for any other host
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
  // An additional label is an API of API Gateway, or the account in a DynamoDB host.
  const isPlain = labels.length <= 2 || (labels.length === 3 && /^(execute-api|ddb)$/.test(service));
  return isPlain ? { service: SIGNING_NAMES.get(service) ?? service, region, bucket: null } : null;
};
