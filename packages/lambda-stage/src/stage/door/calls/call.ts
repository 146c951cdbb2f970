/** A request to an AWS API, as the door received it. */
export interface ApiRequest {
  readonly method: string;
  /** The path without the query, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** Where a request goes. */
export interface Destination {
  /** The service, as named in a signature's scope. */
  readonly service: string;
  readonly region: string;
  /** The bucket, if the host name contains it. */
  readonly bucket: string | null;
}

export type Input = Readonly<Record<string, unknown>>;

/** What a request needs permission for: one action on one resource. */
export interface Permission {
  readonly action: string;
  /** An ARN, or `*` for an action that takes none. */
  readonly resource: string;
  /** Condition keys in addition to those that IAM knows about each caller. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/** An API operation and the permissions that it needs. */
export interface Call {
  readonly operation: string;
  readonly input: Input;
  /** The permissions, all of which are required. If empty, any caller is allowed. */
  readonly permissions: readonly Permission[];
}

/** Makes ARNs of the account and the region of a request. */
export interface Arns {
  readonly partition: string;
  readonly account: string;
  readonly region: string;
  /** Builds an ARN: `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`. */
  readonly of: (service: string, resource: string) => string;
}

export const createArns = (partition: string, account: string, region: string): Arns => ({
  partition,
  account,
  region,
  of: (service, resource) => `arn:${partition}:${service}:${region}:${account}:${resource}`,
});

/** A request that the door does not support and refuses. */
export class UnknownCall extends Error {}

export const textInput = (input: Input, name: string): string => {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (typeof value !== 'string' || value === '') throw new UnknownCall(`${name} is missing`);
  return value;
};

export const optionalText = (input: Input, name: string): string | null => {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
};

export const listInput = (input: Input, name: string): readonly Input[] => {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (!Array.isArray(value)) throw new UnknownCall(`${name} is missing`);
  return value;
};

/** @throws UnknownCall when a body is not JSON */
export const readBody = (body: Uint8Array): Input => {
  try {
    return body.length === 0 ? {} : JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new UnknownCall('the body is not JSON');
  }
};

/** An ARN unchanged, or one built from a name. */
export const arnOr = (text: string, ofName: (name: string) => string): string =>
  text.startsWith('arn:') ? text : ofName(text);

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
