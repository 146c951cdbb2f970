import type { Measurement } from '../../shared/metrics/metrics.ts';

/**
 * Writes measurements in CloudWatch's embedded metric format at the end of a log line, from which CloudWatch extracts
 * the metrics without a call. There are few definitions, and each is made once.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 * @returns a function that adds them to a line, which has the values and the fields by which they are counted
 */
export const createMetricsWriter = (namespace: string) => {
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
