import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createRandom } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createParameters } from 'lambda-stage/door';
import { startInternalServer } from 'lambda-stage/net';
import { type CallAws, createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createParameterStore } from '../../lib/adapters/secrets/aws-secret-store.ts';
import { createOutboundCredentials } from '../../lib/credentials/outbound/outbound-credentials.ts';
import { httpBearer as bearer } from '../../nodes/credential-types/http-types.ts';
import { startQuotaProxy } from '../support/a-quota-proxy.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import {
  aServer,
  inMemoryCallLimits,
  inMemoryLocks,
  inMemoryOutboundStore,
  noTcp,
} from '../support/outbound-credentials.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const IDS = ['crm', 'shop', 'mail'];
const FOLDER = '/hookloom-dev/credentials';

/** How long background runs wait for their credentials, and inline runs at most, of the 28 seconds that a caller is kept waiting. */
const IN_BACKGROUND = 180_000;
const INLINE = 14_000;

/**
 * Sandboxes with the real cache, batches and pauses, which read three credentials each through real requests, on a clock that jumps.
 * They share one connection pool, so that this machine is not what refuses them.
 */
const aFleet = async (sandboxes: number, { parameters = 40 } = {}) => {
  const { clock, run } = aVirtualClock();
  const operate = createParameters((name) => `arn:aws:ssm:eu-west-1:123456789012:parameter${name}`);
  const server = await startInternalServer(
    createServer(async (request, response) => {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const reply = operate(operation, JSON.parse(await text(request)));
      response.writeHead(reply?.status ?? 404, reply?.headers).end(reply?.body);
    }),
  );
  cleanups.push(server.stop);
  const proxy = await startQuotaProxy(server.endpoint, { clock, quotas: { parameters } });
  cleanups.push(proxy.stop);
  const callParameters = createAwsCaller({
    service: 'ssm',
    region: 'local',
    endpoint: proxy.endpoint,
    readCredentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
    timeouts: { connectMs: 60_000, exchangeMs: 60_000 },
  });
  let exchanges = 0;
  const call: CallAws = (request) => {
    exchanges++;
    return callParameters(request).finally(() => exchanges--);
  };
  /** What is asked for in one turn is sent in the next. */
  let quietTurns = 0;
  const isBusy = () => {
    quietTurns = exchanges > 0 || quietTurns === 3 ? 0 : quietTurns + 1;
    return exchanges > 0 || quietTurns > 0;
  };
  const pass = <Value>(work: Promise<Value>) => run(work, isBusy);

  const store = inMemoryOutboundStore();
  const put = async (id: string, token: string): Promise<void> => {
    const parts = { clock, random: Math.random };
    const secret = JSON.stringify({ token });
    const reference = await createParameterStore(call, FOLDER, parts).put(id, secret);
    const { revision = 0 } = (await store.find(id)) ?? {};
    const fields = {};
    await store.put({ id, type: bearer.id, fields, hosts: null, reference, revision: revision + 1 });
  };
  for (const id of IDS) await put(id, `token of ${id}`);

  const fleet = Array.from({ length: sandboxes }, (_, at) => {
    const random = createRandom(`sandbox ${at}`);
    return createOutboundCredentials({
      store,
      secrets: createParameterStore(call, FOLDER, { clock, random }),
      locks: inMemoryLocks(),
      limits: inMemoryCallLimits(),
      hostLimits: [],
      findType: async () => bearer,
      http: aServer(),
      tcp: noTcp,
      clock,
      random,
    });
  });

  /** All run at the same time. @returns how many got all their credentials, and how long the last of all took */
  const runAll = async (maxWaitMs: number) => {
    const startedAt = clock.now();
    const runs = fleet.map(async (credentials) => {
      const loan = await credentials.open({ credentialIds: IDS, maxWaitMs });
      const lent = await Promise.all(IDS.map((id) => loan.lend(id, [bearer.id])));
      return lent.map((each) => each.field('token'));
    });
    const ended = await pass(Promise.allSettled(runs));
    const tokens = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const errors = ended.flatMap((end) => (end.status === 'rejected' ? [(end.reason as Error).name] : []));
    expect(errors.filter((name) => name !== 'CredentialUnavailable')).toEqual([]);
    return { tokens, failed: errors.length, tookMs: clock.now() - startedAt };
  };
  return { clock, counts: proxy.counts, put, pass, runAll };
};

const current = IDS.map((id) => `token of ${id}`);

describe('1,000 sandboxes that begin at once with three credentials each', () => {
  test('all run in the background, at 40 calls a second', async () => {
    const { runAll, counts } = await aFleet(1_000);
    const { passed } = counts();
    const { tokens, failed, tookMs } = await runAll(IN_BACKGROUND);
    expect(failed).toBe(0);
    expect(tokens).toEqual(Array(1_000).fill(current));
    expect(counts().passed - passed).toBe(1_000); // one call each
    expect(tookMs).toBeLessThan(60_000);
  });

  test('run inline up to the quota in half of the time; the others are refused by then', async () => {
    const { runAll } = await aFleet(1_000);
    const { tokens, failed, tookMs } = await runAll(INLINE);
    expect(tokens.length).toBeGreaterThan(500);
    expect(tokens.length + failed).toBe(1_000);
    expect(tookMs).toBeLessThanOrEqual(INLINE);
  });

  test('all run inline in an account with the higher throughput', async () => {
    const { runAll, counts } = await aFleet(1_000, { parameters: 1_000 });
    expect((await runAll(INLINE)).failed).toBe(0);
    expect(counts().refused).toEqual({});
  });

  test('all continue at once when their secrets expire, with cached ones where reads are refused', async () => {
    const { runAll, counts, pass, clock } = await aFleet(1_000);
    await runAll(IN_BACKGROUND);
    await pass(clock.sleep(600_000));
    const { parameters: before = 0 } = counts().refused;
    const { failed, tookMs } = await runAll(INLINE);
    expect([failed, tookMs]).toEqual([0, 0]);
    expect(counts().refused.parameters).toBeGreaterThan(before);
  });
});

test('a hundred sandboxes have a rotated secret within a minute, and none the old one afterwards', async () => {
  const { runAll, put, pass, clock } = await aFleet(100);
  await runAll(IN_BACKGROUND);
  await put('crm', 'a new token');
  await pass(clock.sleep(60_000));
  const { tokens, failed } = await runAll(INLINE);
  expect(failed).toBe(0);
  expect(tokens).toEqual(Array(100).fill(['a new token', ...current.slice(1)]));
});
