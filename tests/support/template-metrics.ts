import type { Template, TemplateResource } from '../../resources/cloudformation.ts';

interface RawMetric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** A metric that something of a template refers to: `NAMESPACE NAME DIMENSION,…`. */
const describeMetric = (namespace: string, name: string, dimensions: readonly string[]): string =>
  [namespace, name, ...(dimensions.length === 0 ? [] : [dimensions.join()])].join(' ');

const isMetric = (value: unknown): value is RawMetric =>
  typeof value === 'object' && value !== null && 'MetricName' in value && 'Namespace' in value;

/** Of an alarm, those of its expressions included. */
export const metricsOfAlarm = ({ Properties = {} }: TemplateResource): readonly string[] => {
  const { Metrics = [] } = Properties as {
    readonly Metrics?: readonly { readonly MetricStat?: { Metric: unknown } }[];
  };
  return [Properties, ...Metrics.map(({ MetricStat }) => MetricStat?.Metric)]
    .filter(isMetric)
    .map(({ Namespace, MetricName, Dimensions = [] }) =>
      describeMetric(
        Namespace,
        MetricName,
        Dimensions.map(({ Name }) => Name),
      ),
    );
};

/** Of a dashboard, without those that a search finds. */
export const metricsOfDashboard = ({ Properties = {} }: TemplateResource): readonly string[] => {
  const { DashboardBody } = Properties as { readonly DashboardBody: { readonly 'Fn::Sub': string } };
  const { widgets } = JSON.parse(DashboardBody['Fn::Sub']) as {
    readonly widgets: readonly {
      readonly properties: { readonly metrics: readonly (readonly unknown[])[] };
    }[];
  };
  return widgets.flatMap(({ properties: { metrics } }) =>
    metrics.flatMap((row) => {
      const [namespace, name, ...dimensions] = row.filter((cell): cell is string => typeof cell === 'string');
      if (namespace === undefined || name === undefined) return [];
      return [
        describeMetric(
          namespace,
          name,
          dimensions.filter((_cell, at) => at % 2 === 0),
        ),
      ];
    }),
  );
};

export const alarmsOf = ({ Resources }: Template): readonly [string, TemplateResource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
