import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { checkQuotas } from '../doctor/check-quotas.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const DENIED =
  'User: arn:aws:iam::123456789012:user/ann is not authorized to perform: servicequotas:ListServiceQuotas because no identity-based policy allows it';

interface Account {
  readonly concurrency?: number;
  /** Concurrent executions, the highest count of each minute. */
  readonly used?: readonly number[];
  readonly rules?: number;
  readonly mayNotSeeQuotas?: boolean;
}

/** The APIs of an account as AWS answers them: Lambda, CloudWatch, Service Quotas, EventBridge. */
const anAccount = async ({
  concurrency = 1_000,
  used = [3],
  rules = 2,
  mayNotSeeQuotas = false,
}: Account) => {
  const server = createServer(async (request, response) => {
    const body = String(await buffer(request));
    const target = String(request.headers['x-amz-target'] ?? '');
    if (request.url?.startsWith('/2016-08-19/account-settings') === true)
      return response.end(JSON.stringify({ AccountLimit: { ConcurrentExecutions: concurrency } }));
    if (target.endsWith('ListServiceQuotas') && mayNotSeeQuotas)
      return response
        .writeHead(400)
        .end(JSON.stringify({ __type: 'AccessDeniedException', Message: DENIED }));
    if (target.endsWith('ListServiceQuotas'))
      return response.end(JSON.stringify({ Quotas: [{ QuotaName: 'Rules', Value: 300 }] }));
    if (target.endsWith('ListRules'))
      return response.end(JSON.stringify({ Rules: Array.from({ length: rules }, () => ({})) }));
    const values = body.includes('MetricName=ConcurrentExecutions') ? used : [];
    const members = values.map((value) => `<member><Maximum>${value}.0</Maximum></member>`).join('');
    return response.end(
      `<GetMetricStatisticsResponse><Datapoints>${members}</Datapoints></GetMetricStatisticsResponse>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const readCredentials = () => ({ accessKeyId: 'key', secretAccessKey: 'secret' });
  const open = (service: string) =>
    createAwsCaller({ service, region: 'eu-west-1', endpoint, readCredentials });
  return checkQuotas({ prefix: 'hookloom-test', open, isLocal: false }, NOW);
};

const short = (lines: Awaited<ReturnType<typeof anAccount>>) =>
  lines.map(({ status, message }) => `${status}: ${message}`);

test('compares the usage with the quotas of the account', async () => {
  expect(short(await anAccount({ used: [3, 41, 7] }))).toEqual([
    'ok: concurrent executions: 41 of 1000',
    'ok: durable executions started per second: 0 of 300',
    'ok: rules of the default bus: 2 of 300',
  ]);
});

test('detects that all concurrent executions are in use', async () => {
  const [line] = await anAccount({ used: [12, 1_000] });
  expect(line).toEqual({
    check: 'quotas',
    status: 'wrong',
    message: 'concurrent executions: 1000 of 1000, the quota is exhausted',
    remedy: 'Request an increase in Service Quotas.',
  });
});

test('warns of little headroom, and of a new account', async () => {
  expect(short(await anAccount({ used: [850], rules: 90 }))[0]).toBe(
    'warning: concurrent executions: 850 of 1000, little is left',
  );
  expect(short(await anAccount({ concurrency: 10 }))[0]).toBe(
    'warning: concurrent executions: the account allows only 10 across all its functions',
  );
});

test('reports what it may not read, and checks the rest', async () => {
  const lines = await anAccount({ mayNotSeeQuotas: true });
  expect(lines.map(({ status }) => status)).toEqual(['ok', 'unknown', 'unknown']);
  expect(lines[1]).toMatchObject({
    message: expect.stringContaining('servicequotas:ListServiceQuotas'),
    remedy: expect.stringContaining('docs/operating.md'),
  });
});
