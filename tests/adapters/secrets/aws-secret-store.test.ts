import type { Clock } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { AwsRequest, CallAws } from '../../../lib/adapters/aws/aws-caller.ts';
import {
  createAwsSecretStore,
  createParameterStore,
} from '../../../lib/adapters/secrets/aws-secret-store.ts';
import { findOutage } from '../../../lib/credentials/outbound/secret-store.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { describeSecretStore } from '../../support/secret-store-suite.ts';

const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hookloom-dev/crm-AbCdEf';

const answer = (status: number, body: object) => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
  tries: 1,
  throttles: 0,
});

const aCall = (
  reply: (target: string, input: Record<string, unknown>, request: AwsRequest) => ReturnType<typeof answer>,
) => {
  const call: CallAws = async (request) =>
    reply(String(request.headers?.['x-amz-target']), JSON.parse(String(request.body)), request);
  return call;
};

/** Parameter Store, as far as secrets need it. */
const parameterStore = () => {
  const parameters = new Map<string, string>();
  return aCall((target, { Name, Names = [], Value, Type, WithDecryption }) => {
    const name = String(Name);
    if (target === 'AmazonSSM.GetParameters') {
      const known = (Names as string[]).filter((each) => parameters.has(each));
      const shown = (each: string) => (WithDecryption === true ? parameters.get(each) : 'encrypted');
      return answer(200, { Parameters: known.map((each) => ({ Name: each, Value: shown(each) })) });
    }
    if (target === 'AmazonSSM.PutParameter') {
      if (Type !== 'SecureString') return answer(400, { __type: 'ValidationException' });
      parameters.set(name, String(Value));
      return answer(200, { Version: 1 });
    }
    return parameters.delete(name) ? answer(200, {}) : answer(400, { __type: 'ParameterNotFound' });
  });
};

const aStore = (
  call: CallAws,
  callSecretsManager: (region: string) => CallAws = () => call,
  clock: Clock = aManualClock(),
) =>
  createAwsSecretStore({
    parameters: createParameterStore(call, '/hookloom-dev/credentials', { clock, random: () => 1 }),
    callSecretsManager,
  });

describeSecretStore('Parameter Store', () => aStore(parameterStore()));

describe('a secret in AWS', () => {
  test('is under the path of its stage', async () => {
    expect(await aStore(parameterStore()).put('crm', 'x')).toBe('ssm:/hookloom-dev/credentials/crm');
  });

  test('is read from Secrets Manager by ARN, in its region, and never removed there', async () => {
    const regions: string[] = [];
    const store = aStore(parameterStore(), (region) => {
      regions.push(region);
      return aCall((target, { SecretId }) =>
        target === 'secretsmanager.GetSecretValue' && SecretId === ARN
          ? answer(200, { SecretString: 'the-token' })
          : answer(400, { __type: 'ResourceNotFoundException' }),
      );
    });
    expect(await store.get(ARN)).toBe('the-token');
    expect(await store.get(`${ARN}x`)).toBeNull();
    expect(regions).toEqual(['eu-west-1', 'eu-west-1']);
    await expect(store.remove(ARN)).resolves.toBeUndefined();
  });

  test.each([
    ['throttled', aCall(() => answer(400, { __type: 'ThrottlingException' })), { isThrottled: true }],
    ['forbidden', aCall(() => answer(400, { __type: 'AccessDeniedException' })), null],
    ['broken', aCall(() => answer(500, {})), { isThrottled: false }],
    ['not reached', () => Promise.reject(new Error('no connection')), { isThrottled: false }],
  ] as const)('that is %s is unavailable, and never counts as missing', async (_case, call, outage) => {
    const { clock, run } = aVirtualClock();
    const store = aStore(call, undefined, clock);
    for (const work of [() => store.get('ssm:/a'), () => store.get(ARN), () => store.put('crm', 'x')]) {
      const error: unknown = await run(work().catch((thrown: unknown) => thrown));
      expect(error).toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
      const found = findOutage(error);
      expect(found === null ? null : { isThrottled: found.isThrottled }).toEqual(outage);
    }
  });
});

describe('parameters', () => {
  const throttling = answer(400, { __type: 'ThrottlingException' });
  const found = (names: readonly string[]) =>
    answer(200, { Parameters: names.map((Name) => ({ Name, Value: `value of ${Name}` })) });
  const namesOf = (request: AwsRequest): string[] => JSON.parse(String(request.body)).Names;

  /** Parameter Store that answers each call with the next of these, and then with what is asked for. */
  const aReader = (
    replies: ((names: readonly string[]) => ReturnType<typeof answer>)[] = [],
    { random = () => 1 }: { readonly random?: () => number } = {},
  ) => {
    const calls: { readonly names: string[]; readonly at: number; readonly isOwnBackoff: boolean }[] = [];
    const virtual = aVirtualClock(0);
    const { clock } = virtual;
    const call: CallAws = async (request) => {
      const names = namesOf(request);
      calls.push({ names, at: clock.now(), isOwnBackoff: request.answersThrottling === true });
      return (replies.shift() ?? found)(names);
    };
    const parameters = createParameterStore(call, '/x', { clock, random });
    const { get } = createAwsSecretStore({ parameters, callSecretsManager: () => call });
    return { ...virtual, calls, get };
  };

  test('requested at the same time are read in one call, ten at most', async () => {
    const { get, calls, run } = aReader();
    const names = Array.from({ length: 12 }, (_, at) => `/x/${at}`);
    const values = await run(Promise.all([...names, '/x/0'].map((name) => get(`ssm:${name}`))));
    expect(values).toEqual([...names, '/x/0'].map((name) => `value of ${name}`));
    expect(calls.map((each) => each.names)).toEqual([names.slice(0, 10), ['/x/10', '/x/11', '/x/0']]);
    await run(Promise.all([get('ssm:/x/a'), get('ssm:/x/a')]));
    expect(calls.at(-1)?.names).toEqual(['/x/a']);
  });

  test('that are throttled are retried together, with growing delays, for as long as they may wait', async () => {
    const { get, calls, run } = aReader(Array(6).fill(() => throttling));
    const both = Promise.all([get('ssm:/x/a', 60_000), get('ssm:/x/b', 60_000)]);
    expect(await run(both)).toEqual(['value of /x/a', 'value of /x/b']);
    expect(calls.map(({ at }) => at)).toEqual([0, 1, 3, 7, 15, 31, 51].map((seconds) => seconds * 1_000));
    expect(calls.every(({ names }) => names.length === 2)).toBe(true);
    // The pauses are this store's own: three quick tries at each would be more of what is refused.
    expect(calls.every(({ isOwnBackoff }) => isOwnBackoff)).toBe(true);
  });

  test('restart with the shortest pause after a successful read', async () => {
    const later = [() => throttling, () => throttling, found, () => throttling];
    const { get, calls, run } = aReader(later);
    await run(get('ssm:/x/a', 60_000));
    await run(get('ssm:/x/b', 60_000));
    expect(calls.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 3_000, 4_000]);
  });

  test('are retried at random times within a pause, so that sandboxes that start together spread out', async () => {
    const { get, calls, run } = aReader(
      Array(2).fill(() => throttling),
      { random: () => 0.25 },
    );
    await run(get('ssm:/x/a', 60_000));
    expect(calls.map(({ at }) => at)).toEqual([0, 250, 750]);
  });

  test('that may not wait longer are refused at once, the others are read', async () => {
    const { get, calls, run, clock } = aReader(Array(3).fill(() => throttling));
    const patient = get('ssm:/x/a', 60_000);
    const ends: number[] = [];
    const hasty = [0, 999, 2_999].map((ms) =>
      get(`ssm:/x/${ms}`, ms).catch((error: unknown) => {
        ends.push(clock.now());
        throw error;
      }),
    );
    const settled = await run(Promise.allSettled([patient, ...hasty]));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(ends).toEqual([0, 0, 1_000]);
    expect(calls.map(({ names }) => names.length)).toEqual([4, 2, 1, 1]);
  });

  test('are not requested during a pause by callers that cannot wait for its end', async () => {
    const { get, calls, run } = aReader([() => throttling]);
    await expect(run(get('ssm:/x/a', 0))).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
    await expect(run(get('ssm:/x/b', 999))).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
    expect(calls).toHaveLength(1);
    expect(await run(get('ssm:/x/b', 1_000))).toBe('value of /x/b');
  });

  test('that may not be read fail no others', async () => {
    const denied = (names: readonly string[]) =>
      names.includes('/other/b') ? answer(400, { __type: 'AccessDeniedException' }) : found(names);
    const { get, run } = aReader(Array(9).fill(denied));
    const settled = await run(Promise.allSettled([get('ssm:/x/a'), get('ssm:/other/b'), get('ssm:/x/c')]));
    expect(settled).toMatchObject([
      { value: 'value of /x/a' },
      { reason: { code: 'SECRETS_UNAVAILABLE' } },
      { value: 'value of /x/c' },
    ]);
  });

  test('are read at once when the clock was set back', async () => {
    const { get, calls, run, clock } = aReader([() => throttling]);
    await expect(run(get('ssm:/x/a', 0))).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
    const now = clock.now() - 3_600_000;
    Object.assign(clock, { now: () => now });
    expect(await run(get('ssm:/x/a'))).toBe('value of /x/a');
    expect(calls).toHaveLength(2);
  });
});
