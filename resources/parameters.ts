/** The event bus; a plain name means a bus in the service's account and region. */
export type EventBus = { readonly name: string } | { readonly arn: string };

/** The bucket: `stage` names it after stage, account and region; with `generated`, CloudFormation names it. */
export type BlobBucket =
  | { readonly kind: 'stage' | 'generated' }
  | { readonly kind: 'named'; readonly name: string };

export interface Domain {
  readonly name: string;
  readonly certificate: string;
  /** The hosted zone for its alias record; null if the record is created elsewhere. */
  readonly hostedZone: string | null;
}

/** Groups of routes, by the first segments of their paths: /api/webhook, /api/webhook-callback, /api/admin. */
export type RouteGroup = 'webhook' | 'callback' | 'admin';

export interface Throttle {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

/** Invalid parameters; the message lists every problem. */
export class ParameterError extends Error {}

/** The value that turns an option off. */
const NONE = 'none';

/**
 * Reads the parameters of a deployment, given as strings or YAML values.
 *
 * @param region - of the deployment
 * @param functions - the keys of the functions
 * @throws ParameterError when a value would be refused by AWS or have no effect
 */
export const readParameters = (
  raw: Readonly<Record<string, unknown>>,
  { region, functions }: { readonly region: string; readonly functions: readonly string[] },
) => {
  const problems: string[] = [];
  /** @returns null for `none` and for invalid values */
  const read = <Value>(name: string, parse: (text: string) => Value | Problem): Value | null => {
    const text = String(raw[name] ?? NONE).trim();
    if (text === NONE) return null;
    const value = parse(text);
    if (!(value instanceof Problem)) return value;
    problems.push(`${name} ${value.text}, but is "${text}"`);
    return null;
  };
  const readThrottle = (group: RouteGroup): Throttle => ({
    requestsPerSecond: read(`${group}Rate`, parseCount) ?? missing(`${group}Rate`),
    burst: read(`${group}Burst`, parseCount) ?? missing(`${group}Burst`),
  });
  const missing = (name: string): number => {
    if (!problems.some((problem) => problem.startsWith(`${name} `)))
      problems.push(`${name} must be a number`);
    return 0;
  };

  const deployment = {
    /** The ARN of the SNS topic that alarms notify; null for no alarms. */
    alarmTopic: read('alarmTopic', (text) => parseTopic(text, region)),
    hasDashboard: read('dashboard', parseBoolean) ?? false,
    /** Whether API Gateway counts the requests of each route by itself, besides those of all. */
    hasRouteMetrics: read('routeMetrics', parseBoolean) ?? false,
    /** Whether X-Ray traces the functions. */
    hasTracing: read('tracing', parseBoolean) ?? false,
    /** The URL to which traces are posted; null for no traces. The others of its parameters are only checked here. */
    traces: read('traces', parseCollector),
    /** The bus for completion events; null to write them to the log. */
    eventBus: read('eventBus', (text) => parseEventBus(text, region)),
    /** Whether to adopt the tables and the bucket that an earlier stack of this stage left. */
    adoptsData: read('adoptData', parseBoolean) ?? false,
    /** Which of several updates of a table are made: only the first one, in the first of two deployments of an upgrade. */
    tableUpdates: read('tableUpdates', parseTableUpdates) ?? 'all',
    blobBucket: read('blobBucket', parseBlobBucket) ?? { kind: 'stage' },
    hasDeletionProtection: read('deletionProtection', parseBoolean) ?? false,
    /** The ARN of the key that tables, bucket, queues and logs are encrypted with; null for AWS's keys. */
    kmsKey: read('kmsKey', (text) => parseKey(text, region)),
    tags: read('tags', parseTags) ?? {},
    domain: readDomain(read, region, problems),
    throttling: {
      webhook: readThrottle('webhook'),
      callback: readThrottle('callback'),
      admin: readThrottle('admin'),
    },
    /** Reserved concurrent executions, by the key of a function. */
    reservedConcurrency: read('reservedConcurrency', (text) => parseReserved(text, functions)) ?? {},
    /** Write units per second that the tables of runs and their indexes support immediately; null for AWS's default. */
    warmWrites: read('warmWrites', parseWarmWrites),
    /** The account's quotas that alarms compare with. */
    quotas: { ...QUOTAS, ...read('quotas', parseQuotas) },
  };
  read('traceRatio', parseRatio);
  if (read('traceHeaders', parseSecretName) !== null && deployment.traces === null)
    problems.push('traceHeaders has no effect without traces');
  if (problems.length > 0) throw new ParameterError(problems.join('\n'));
  return deployment;
};

/** How deployments of the service can differ. docs/deploying.md lists the cost of each parameter. */
export type Deployment = Readonly<ReturnType<typeof readParameters>>;

class Problem {
  /** What is wrong with the value; follows the parameter's name in the message. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const TOPIC_ARN = /^arn:aws[\w-]*:sns:([a-z\d-]+):\d{12}:[\w-]{1,256}$/;

/** Alarms can only notify topics in their own region. */
const parseTopic = (text: string, region: string): string | Problem =>
  TOPIC_ARN.exec(text)?.[1] === region
    ? text
    : new Problem(
        `must be the ARN of a standard SNS topic in ${region} (arn:aws:sns:${region}:ACCOUNT:NAME), or none`,
      );

/** Plain HTTP only where no network is: to an extension of the functions. */
const parseCollector = (text: string): string | Problem => {
  const url = URL.parse(text);
  const isLocal = url !== null && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === 'https:' || (isLocal && url.protocol === 'http:');
  return isSafe && url.username + url.password + url.hash === '' && url.pathname !== '/'
    ? text
    : new Problem(
        'must be the https URL to which traces are posted, with its path, such as https://collector.example.com/v1/traces, and without credentials; or none',
      );
};

const parseRatio = (text: string): number | Problem =>
  /^(?:0|1|0?\.\d{1,9})$/.test(text)
    ? Number(text)
    : new Problem('must be a number from 0 to 1, such as 0.05');

const parseSecretName = (text: string): string | Problem =>
  /^[\w-]{1,64}$/.test(text)
    ? text
    : new Problem('must be the last part of the name of the parameter /hookloom-STAGE/traces/NAME, or none');

const BUS_NAME = /^[\w.-]{1,256}$/;
const BUS_ARN = /^arn:aws[\w-]*:events:([a-z\d-]+):\d{12}:event-bus\/([\w.-]{1,256})$/;

/** Documented at https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html */
const parseEventBus = (text: string, region: string): EventBus | Problem => {
  if (BUS_NAME.test(text)) return { name: text };
  const [, regionOfBus] = BUS_ARN.exec(text) ?? [];
  if (regionOfBus === undefined)
    return new Problem(
      'must be the name of an EventBridge bus (letters, digits and ._- only), its ARN, or none',
    );
  return regionOfBus === region
    ? { arn: text }
    : new Problem(
        `must be a bus in ${region}: only a rule of a bus there can pass events to a different region`,
      );
};

/** Documented at https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET_NAME = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/;

const parseBlobBucket = (text: string): BlobBucket | Problem => {
  if (text === 'stage' || text === 'generated') return { kind: text };
  return BUCKET_NAME.test(text)
    ? { kind: 'named', name: text }
    : new Problem('must be stage, generated, or the name of a bucket');
};

const parseTableUpdates = (text: string): 'all' | 'first' | Problem =>
  text === 'all' || text === 'first' ? text : new Problem('must be all or first');

const KEY_ARN = /^arn:aws[\w-]*:kms:([a-z\d-]+):\d{12}:key\/[\w-]{1,128}$/;

/** An alias is refused, since IAM roles can't be granted a key by its alias. */
const parseKey = (text: string, region: string): string | Problem =>
  KEY_ARN.exec(text)?.[1] === region
    ? text
    : new Problem(
        `must be the ARN of a KMS key in ${region} (arn:aws:kms:${region}:ACCOUNT:key/ID), or none`,
      );

const parseBoolean = (text: string): boolean | Problem =>
  text === 'true' || text === 'false' ? text === 'true' : new Problem('must be true or false');

const parseCount = (text: string): number | Problem =>
  /^[1-9]\d{0,5}$/.test(text) ? Number(text) : new Problem('must be a whole number from 1 to 999999');

/** The quotas of a new account. */
const QUOTAS = { concurrency: 1_000, durableStarts: 300 };

const parseQuotas = (text: string): Readonly<Partial<typeof QUOTAS>> | Problem => {
  const pairs = parsePairs(text);
  const counts = Object.entries(pairs ?? {}).map(([name, count]) => [name, parseCount(count)] as const);
  const isKnown = counts.every(([name, count]) => Object.hasOwn(QUOTAS, name) && !(count instanceof Problem));
  return pairs !== null && isKnown
    ? Object.fromEntries(counts)
    : new Problem(`must be name=number,name=number, of ${Object.keys(QUOTAS).join(' and ')}, or none`);
};

/** Initial capacity of new on-demand tables and indexes, in write units per second. */
const WARM_AT_FIRST = 4_000;

/** Documented at https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html */
const parseWarmWrites = (text: string): number | Problem => {
  const count = parseCount(text);
  return typeof count === 'number' && count > WARM_AT_FIRST
    ? count
    : new Problem(`must be a whole number above ${WARM_AT_FIRST}, the capacity of new tables, or none`);
};

/** Parses a list like `name=value,name=value`. */
const parsePairs = (text: string): Readonly<Record<string, string>> | null => {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? null : ([pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const);
  });
  const found = pairs.filter((pair) => pair !== null);
  const isWhole = found.length === pairs.length && new Set(found.map(([name]) => name)).size === found.length;
  return isWhole ? Object.fromEntries(found) : null;
};

const TAG_NAME = /^(?!aws:)[\p{L}\p{N} _.:/+@-]{1,128}$/iu;
const TAG_VALUE = /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u;
const MAX_TAGS = 45; // 50, minus room for the stage's tag and AWS's own

/** Documented at https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html */
const parseTags = (text: string): Readonly<Record<string, string>> | Problem => {
  const tags = parsePairs(text);
  const entries = Object.entries(tags ?? {});
  const isAllowed = entries.every(([name, value]) => TAG_NAME.test(name) && TAG_VALUE.test(value));
  return tags !== null && isAllowed && entries.length <= MAX_TAGS
    ? tags
    : new Problem(`must be at most ${MAX_TAGS} tags valid in AWS, as name=value,name=value, or none`);
};

const parseReserved = (
  text: string,
  functions: readonly string[],
): Readonly<Record<string, number>> | Problem => {
  const pairs = parsePairs(text);
  if (pairs === null) return new Problem('must be function=number,function=number, or none');
  const unknown = Object.keys(pairs).find((name) => !functions.includes(name));
  if (unknown !== undefined) return new Problem(`must name functions of serverless.yml: not "${unknown}"`);
  const counts = Object.entries(pairs).map(([name, count]) => [name, parseCount(count)] as const);
  const wrong = counts.find(([, count]) => count instanceof Problem);
  return wrong === undefined
    ? Object.fromEntries(counts as readonly (readonly [string, number])[])
    : new Problem(`needs a whole number of at least 1 for ${wrong[0]}: with 0 the function would never run`);
};

const DOMAIN = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/;
const CERTIFICATE = /^arn:aws[\w-]*:acm:([a-z\d-]+):\d{12}:certificate\/[\w-]{1,128}$/;

const readDomain = (
  read: <Value>(name: string, parse: (text: string) => Value | Problem) => Value | null,
  region: string,
  problems: string[],
): Domain | null => {
  const name = read('domain', (text) =>
    DOMAIN.test(text) ? text : new Problem('must be a domain name in lower case, or none'),
  );
  const certificate = read('certificate', (text) =>
    CERTIFICATE.exec(text)?.[1] === region
      ? text
      : new Problem(`must be the ARN of an ACM certificate in ${region}, or none`),
  );
  const hostedZone = read('hostedZone', (text) =>
    /^Z[A-Z\d]{1,31}$/.test(text) ? text : new Problem('must be the id of a Route 53 hosted zone, or none'),
  );
  if (name !== null && certificate !== null) return { name, certificate, hostedZone };
  const hasSome = [name, certificate, hostedZone].some((value) => value !== null);
  if (hasSome && problems.length === 0)
    problems.push(
      'domain and certificate belong together: set both, or none of domain, certificate and hostedZone',
    );
  return null;
};
