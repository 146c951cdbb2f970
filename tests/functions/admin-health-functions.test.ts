import { expect, test } from '@jest/globals';
import { OPTIONAL_FUNCTIONS } from '../../lib/health/ping.ts';
import { useWholeServices, type WholeServiceOptions } from '../support/a-whole-service.ts';
import { anEvent } from '../support/an-api-event.ts';
import { serviceFile } from '../support/function-environment.ts';

const openService = useWholeServices();

const { functions, routes } = serviceFile;

/** The functions of serverless.yml that no request reaches. */
const BACKGROUND = functions
  .map(({ key }) => key)
  .filter(
    (key) => !OPTIONAL_FUNCTIONS.includes(key) && !routes.some(({ functionKey }) => functionKey === key),
  )
  .sort();

const open = async (options: WholeServiceOptions = {}) => {
  const service = await openService(options);
  return {
    ...service,
    report: async () => {
      const { statusCode, body } = (await service.invoke(
        'adminHealth',
        anEvent({ path: '/api/admin/plugins/health' }),
      )) as {
        readonly statusCode: number;
        readonly body: string;
      };
      return { statusCode, ...JSON.parse(body) };
    },
  };
};

test('health pings the background functions, once a minute', async () => {
  const { report, invoked } = await open();
  const { statusCode, status, checks } = await report();
  expect([statusCode, status]).toEqual([200, 'healthy']);
  expect(checks.functions).toEqual(Object.fromEntries(BACKGROUND.map((key) => [key, { status: 'healthy' }])));
  await report();
  const pinged = invoked.map(({ functionKey }) => functionKey).filter((key) => key !== 'adminHealth');
  expect(pinged.sort()).toEqual(BACKGROUND);
});

test('health also pings the function that sends traces, if there is a collector', async () => {
  const TRACES = 'https://collector.example.com/v1/traces';
  const { report } = await open({ environment: { adminHealth: { TRACES } } });
  const { checks } = await report();
  expect(Object.keys(checks.functions).sort()).toEqual([...BACKGROUND, ...OPTIONAL_FUNCTIONS].sort());
});

test.each(['runExpress', 'runDurable'])(
  'health says which variable %s lacks, and is degraded with status 200',
  async (functionKey) => {
    const { report } = await open({
      missing: { [functionKey]: ['BLOB_BUCKET'] },
    });
    const { statusCode, status, checks } = await report();
    expect([statusCode, status]).toEqual([200, 'degraded']);
    expect(checks.functions[functionKey]).toEqual({
      status: 'unhealthy',
      message: 'The configuration is invalid: BLOB_BUCKET is not set.',
    });
    const others = BACKGROUND.filter((key) => key !== functionKey);
    for (const key of others) expect(checks.functions[key]).toEqual({ status: 'healthy' });
  },
);

test('health is degraded with status 200 when Lambda does not respond', async () => {
  const { report } = await open({
    environment: { adminHealth: { AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:1' } },
  });
  const { statusCode, status, checks, plugins } = await report();
  expect([statusCode, status]).toEqual([200, 'degraded']);
  for (const key of BACKGROUND) expect(checks.functions[key].status).toBe('unhealthy');
  expect(Object.keys(plugins).length).toBeGreaterThan(5);
});
