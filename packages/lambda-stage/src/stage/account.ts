import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type InternalServer, startInternalServer } from '../net/listen.ts';

export const isAccountSettings = (path: string): boolean => path.startsWith('/2016-08-19/account-settings');

/**
 * What AWS reports about an account: its settings in Lambda, the metric of concurrent executions, the outputs of its
 * stack, and no quota of its own.
 *
 * https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html
 */
export const startAccount = (account: {
  readonly concurrency: number;
  readonly mostAtOnce: () => number;
  /** The stack's outputs, by name. */
  readonly outputs: Readonly<Record<string, unknown>>;
}): Promise<InternalServer> =>
  startInternalServer(
    createServer(async (request, response) => {
      const send = (type: string, body: string) =>
        response.writeHead(200, { 'content-type': type }).end(body);
      const form = new URLSearchParams(await text(request));
      if (isAccountSettings(request.url ?? ''))
        send(
          'application/json',
          JSON.stringify({ AccountLimit: { ConcurrentExecutions: account.concurrency } }),
        );
      else if (request.headers['x-amz-target'] === 'ServiceQuotasV20190624.ListServiceQuotas')
        send('application/x-amz-json-1.1', JSON.stringify({ Quotas: [] }));
      else if (form.get('Action') === 'GetMetricStatistics')
        send(
          'text/xml',
          toStatistics(form.get('MetricName') === 'ConcurrentExecutions' ? account.mostAtOnce() : null),
        );
      else if (form.get('Action') === 'DescribeStacks') send('text/xml', toStack(account.outputs));
      else
        response
          .writeHead(400)
          .end('<ErrorResponse><Error><Code>InvalidAction</Code></Error></ErrorResponse>');
    }),
  );

/** Documented at https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html */
const toStatistics = (maximum: number | null): string => {
  const points = maximum === null ? '' : `<member><Maximum>${maximum}</Maximum></member>`;
  return `<GetMetricStatisticsResponse><GetMetricStatisticsResult><Datapoints>${points}</Datapoints></GetMetricStatisticsResult></GetMetricStatisticsResponse>`;
};

/** Documented at https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html */
const toStack = (outputs: Readonly<Record<string, unknown>>): string => {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
};
