import { isDeepStrictEqual } from 'node:util';

/** A value that CloudWatch takes out of a log line. */
export interface Datum {
  readonly namespace: string;
  readonly name: string;
  readonly unit: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html, without rates. */
const UNITS =
  /^(Seconds|(Micro|Milli)seconds|((Kilo|Mega|Giga|Tera)?(bytes|bits)|Bytes|Bits|Percent|Count|None))$/;

type Json = Readonly<Record<string, unknown>>;

/**
 * What CloudWatch takes out of a log line in its embedded metric format: nothing of a line without `_aws`. The rules are those of
 * the specification and its JSON schema:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * @throws Error with the rule that the line breaks
 */
export const readEmbeddedMetrics = (line: string): readonly Datum[] => {
  const root = toMap(JSON.parse(line), 'the line');
  if (!('_aws' in root)) return [];
  check(Buffer.byteLength(line) <= 1_000_000, 'a line has at most 1 MB');
  const { Timestamp, CloudWatchMetrics, ...others } = toMap(root._aws, '_aws');
  check(isDeepStrictEqual(others, {}), '_aws has no other members');
  check(Number.isSafeInteger(Timestamp), 'Timestamp is an integer, in milliseconds');
  return toList(CloudWatchMetrics, 'CloudWatchMetrics').flatMap((directive) =>
    readDirective(directive, root),
  );
};

const readDirective = (directive: unknown, root: Json): Datum[] => {
  const { Namespace, Dimensions, Metrics, ...others } = toMap(directive, 'a directive');
  check(isDeepStrictEqual(others, {}), 'a directive has no other members');
  const namespace = toText(Namespace, 'a namespace');
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html: valid characters
  check(/^[\w.\-/#]{1,255}$/.test(namespace) && !namespace.startsWith('AWS/'), 'a namespace is valid');
  const sets = toList(Dimensions, 'Dimensions').map((set) => readDimensions(set, root));
  check(sets.length >= 1, 'there is a dimension set');
  const definitions = toList(Metrics, 'Metrics');
  check(definitions.length >= 1 && definitions.length <= 100, 'there are 1 to 100 metrics');
  return definitions.flatMap((definition) => {
    const { Name, Unit = 'None', ...rest } = toMap(definition, 'a metric');
    check(isDeepStrictEqual(rest, {}), 'a metric has no other members');
    const name = toText(Name, 'the name of a metric');
    const unit = toText(Unit, 'a unit');
    check(UNITS.test(unit), `${unit} is a unit`);
    const value = root[name];
    check(typeof value === 'number' && Number.isFinite(value), `${name} is a number at the root`);
    return sets.map((dimensions) => ({ namespace, name, unit, dimensions, value: Number(value) }));
  });
};

const readDimensions = (set: unknown, root: Json): Record<string, string> => {
  const keys = toList(set, 'a dimension set').map((key) => toText(key, 'a dimension'));
  check(keys.length <= 30, 'a dimension set has at most 30 keys');
  return Object.fromEntries(
    keys.map((key) => {
      const value = toText(root[key], `the value of the dimension ${key}`);
      check(value.length <= 1_024, 'the value of a dimension has at most 1,024 characters');
      return [key, value];
    }),
  );
};

function check(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(`not in the embedded metric format: ${rule}`);
}

const toMap = (value: unknown, what: string): Json => {
  check(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is an object`);
  return value as Json;
};

const toList = (value: unknown, what: string): readonly unknown[] => {
  check(Array.isArray(value), `${what} is a list`);
  return value;
};

const toText = (value: unknown, what: string): string => {
  check(typeof value === 'string' && value !== '', `${what} is a text`);
  return value;
};

/** As `NAME` or `NAME KEY=VALUE`, with the sum of the values. */
export const sumMetrics = (lines: readonly string[]): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const { name, dimensions, value } of lines.flatMap(readEmbeddedMetrics)) {
    const key = [name, ...Object.entries(dimensions).map(([of, is]) => `${of}=${is}`)].join(' ');
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
};
