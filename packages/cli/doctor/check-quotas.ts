import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import type { CallAws } from '../../../lib/adapters/aws/aws-caller.ts';
import { isSuccess } from '../../../lib/adapters/aws/aws-error.ts';
import { AwsRefusal, askJson, askRest, type DoctorParts } from './ask-aws.ts';
import { type Line, linesOf } from './line.ts';

const quotas = linesOf('quotas');

/** The share of a quota above which the doctor warns. */
const HIGH = 0.8;

/** How many concurrent executions a new account may have. */
const LOW_CONCURRENCY = 100;

const WINDOW_MS = 900_000;

const RAISE = 'Request an increase in Service Quotas.';

/** Compares the account quotas that the service depends on with the usage of the last 15 minutes. */
export const checkQuotas = async (
  { prefix, open, isLocal }: Pick<DoctorParts, 'prefix' | 'open' | 'isLocal'>,
  now: number,
): Promise<readonly Line[]> => {
  if (isLocal) return [quotas.skipped('this machine has none')];
  const read = createReadMetric(open('monitoring'), now);
  const findQuota = (service: string, ...name: readonly RegExp[]) =>
    readQuota(open('servicequotas'), service, name);
  return Promise.all([
    orUnknown('concurrent executions', async () => {
      const { AccountLimit } = await askRest(open('lambda'), '/2016-08-19/account-settings/');
      const limits = isPlainObject(AccountLimit) ? AccountLimit : {};
      const limit = Number(limits.ConcurrentExecutions);
      const used = await read('ConcurrentExecutions', 'Maximum');
      const line = compareWithQuota('concurrent executions', used, limit);
      if (line.status !== 'ok' || limit >= LOW_CONCURRENCY) return line;
      return quotas.warning(
        `concurrent executions: the account allows only ${limit} across all its functions`,
        RAISE,
      );
    }),
    orUnknown('durable executions started per second', async () => {
      const limit = await findQuota('lambda', /durable/i, /start|second|rate/i);
      const started = await read('DurableExecutionStarted', 'Sum', `${prefix}-runDurable`);
      return compareWithQuota('durable executions started per second', Math.ceil(started / 60), limit ?? 300);
    }),
    orUnknown('rules of the default bus', async () => {
      const limit = await findQuota('events', /^Rules$|rules per event bus|number of rules/i);
      return compareWithQuota('rules of the default bus', await countRules(open('events')), limit ?? 300);
    }),
  ]);
};

const compareWithQuota = (what: string, used: number, limit: number): Line => {
  const text = `${what}: ${used} of ${limit}`;
  if (used >= limit) return quotas.wrong(`${text}, the quota is exhausted`, RAISE);
  return used >= limit * HIGH ? quotas.warning(`${text}, little is left`, RAISE) : quotas.ok(text);
};

/** Quotas are optional: those that can't be read are reported as unknown. */
const orUnknown = async (what: string, look: () => Promise<Line>): Promise<Line> => {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AwsRefusal)) throw error;
    const remedy = error.isDenied ? "Give the doctor's keys the policy of docs/operating.md." : null;
    return quotas.unknown(`${what}: ${error.message}`, remedy);
  }
};

/** Documented at https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html */
const createReadMetric =
  (call: CallAws, now: number) =>
  async (metric: string, statistic: 'Maximum' | 'Sum', functionName?: string): Promise<number> => {
    const query = new URLSearchParams({
      Action: 'GetMetricStatistics',
      Version: '2010-08-01',
      Namespace: 'AWS/Lambda',
      MetricName: metric,
      StartTime: new Date(now - WINDOW_MS).toISOString(),
      EndTime: new Date(now).toISOString(),
      Period: '60',
      'Statistics.member.1': statistic,
      ...(functionName === undefined
        ? {}
        : { 'Dimensions.member.1.Name': 'FunctionName', 'Dimensions.member.1.Value': functionName }),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await call({ method: 'POST', path: '/', headers, body: String(query) });
    const text = answer.body.toString();
    if (!isSuccess(answer)) {
      const [, type = ''] = /<Code>([\w.]{1,100})</.exec(text) ?? [];
      const [, message = String(answer.status)] = /<Message>([^<]{1,500})</.exec(text) ?? [];
      throw new AwsRefusal(type, new Error(message));
    }
    const values = [...text.matchAll(/<(?:Maximum|Sum)>([\d.E+-]{1,30})</g)].map(([, value]) =>
      Number(value),
    );
    return Math.max(0, ...values);
  };

const MAX_PAGES = 10;

/** The pages of a list. @param key - of its entries in the answer */
const readPages = async function* (call: CallAws, target: string, input: object, key: string) {
  let NextToken: JsonValue | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await askJson(call, target, { ...input, NextToken });
    yield Array.isArray(answer[key]) ? answer[key].filter(isPlainObject) : [];
    if (typeof answer.NextToken !== 'string') return;
    NextToken = answer.NextToken;
  }
};

/** Reads a quota; null when the account does not have it. @param name - patterns that its name must match */
const readQuota = async (
  call: CallAws,
  ServiceCode: string,
  name: readonly RegExp[],
): Promise<number | null> => {
  const target = 'ServiceQuotasV20190624.ListServiceQuotas';
  for await (const listed of readPages(call, target, { ServiceCode }, 'Quotas')) {
    const found = listed.find(({ QuotaName }) =>
      name.every((part) => part.test(String(QuotaName).slice(0, 200))),
    );
    if (found !== undefined) return Number(found.Value);
  }
  return null;
};

const countRules = async (call: CallAws): Promise<number> => {
  let count = 0;
  for await (const rules of readPages(call, 'AWSEvents.ListRules', { Limit: 100 }, 'Rules'))
    count += rules.length;
  return count;
};
