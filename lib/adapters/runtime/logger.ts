import { types } from 'node:util';
import type { Clock, ExecutionInfo, Logger } from '@hookloom/plugin-kit';
import { METRICS, type Measurement, type Measuring } from '../../shared/metrics.ts';
import { systemClock } from './system-clock.ts';

const levels = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type LogLevel = (typeof levels)[number];
type Fields = Readonly<Record<string, unknown>> & Measuring;

export interface LoggerOptions {
  readonly fields?: Fields;
  /** Entries below this level are dropped, and at `off` all of them; `info` by default. */
  readonly level?: LogLevel;
  readonly write?: (line: string) => void;
  readonly clock?: Pick<Clock, 'now'>;
  /** Redacts a value; called like the replacer of `JSON.stringify`. */
  readonly redact?: Replacer;
  /** Namespace of the metrics in CloudWatch; if absent or null, nothing is measured. */
  readonly namespace?: string | null;
}

/**
 * A logger that writes one JSON object per line: `time` (ISO 8601), `level`, `message`, then the fields, which cannot
 * replace those three. Errors become `{ name, message, code?, cause? }`. Logging never throws: a field that cannot be
 * written is replaced by a note, and the others stay.
 * An entry that measures something ends with the definitions of its metrics, and is written at any level except `off`.
 * No field from outside can be mistaken for such definitions.
 */
export const createLogger = ({
  fields: ownFields = {},
  level: lowest = 'info',
  write = writeToStdout,
  clock = systemClock,
  redact,
  namespace = null,
}: LoggerOptions = {}): Logger => {
  const addMetrics = namespace === null || lowest === 'off' ? null : createMetricsWriter(namespace);
  const replace: Replacer =
    redact === undefined ? toJsonValue : (name, value) => redact(name, toJsonValue(name, value));
  const log = (level: LogLevel, message: string, fields?: Fields): void => {
    const measured = addMetrics === null ? undefined : fields?.[METRICS];
    if (levels.indexOf(level) < levels.indexOf(lowest) && measured === undefined) return;
    try {
      const now = clock.now();
      const head = { time: new Date(now).toISOString(), level, message };
      const line = toLogLine({ ...head, ...ownFields, ...fields, ...head, _aws: undefined }, replace);
      write(measured === undefined ? line : (addMetrics?.(line, measured, now) ?? line));
    } catch {
      // A broken pipe, for instance. A log entry must not fail the work that it describes.
    }
  };
  return toLogger(log);
};

/** The same logger with the execution's fields on every entry; fields of a single entry win over them. */
export const forExecution = (
  logger: Logger,
  { executionId, workflowId, workflowVersion, traceparent }: ExecutionInfo,
): Logger => {
  const fields = { executionId, workflowId, workflowVersion, traceparent };
  return toLogger((level, message, more) => logger[level](message, { ...fields, ...more }));
};

const toLogger = (
  log: (level: Exclude<LogLevel, 'off'>, message: string, fields?: Fields) => void,
): Logger => ({
  debug: (message, fields) => log('debug', message, fields),
  info: (message, fields) => log('info', message, fields),
  warn: (message, fields) => log('warn', message, fields),
  error: (message, fields) => log('error', message, fields),
});

/**
 * Writes a line of the log. `console.log` is not used, since Lambda prepends a time and a request id to it, which
 * breaks the JSON.
 */
const writeToStdout = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

type Replacer = (name: string, value: unknown) => unknown;

const toLogLine = (entry: Fields, replace: Replacer): string => {
  try {
    return JSON.stringify(entry, replace);
  } catch {
    const writable = Object.entries(entry).map(([name, value]) => [name, toWritable(value, replace)]);
    return JSON.stringify(Object.fromEntries(writable));
  }
};

const toWritable = (value: unknown, replace: Replacer): unknown => {
  try {
    const text = JSON.stringify(value, replace);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return '[cannot be written as JSON]';
  }
};

const toJsonValue: Replacer = (_name, value) => {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error || types.isNativeError(value)) {
    const { name, message, cause } = value;
    const code = 'code' in value ? value.code : undefined;
    return { name, message, code, cause };
  }
  return value;
};

/**
 * Writes measurements in CloudWatch's embedded metric format at the end of a log line, from which CloudWatch extracts
 * the metrics without a call. There are few definitions, and each is made once.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 * @returns a function that adds them to a line, which has the values and the fields by which they are counted
 */
const createMetricsWriter = (namespace: string) => {
  const known = new Map<string, string>();
  const define = ({ values, by }: Measurement): string => {
    const names = Object.keys(values);
    const key = `${names} ${by}`;
    const found =
      known.get(key) ??
      JSON.stringify({
        Namespace: namespace,
        Dimensions: by === undefined ? [[]] : [[], [by]],
        Metrics: names.map((name) => ({ Name: name, Unit: unitOf(name) })),
      });
    known.set(key, found);
    return found;
  };
  return (line: string, measurements: readonly Measurement[], now: number): string =>
    `${line.slice(0, -1)},"_aws":{"Timestamp":${now},"CloudWatchMetrics":[${measurements.map(define)}]}}`;
};

const unitOf = (name: string): string =>
  name.endsWith('Duration') ? 'Milliseconds' : name.endsWith('Age') ? 'Seconds' : 'Count';
