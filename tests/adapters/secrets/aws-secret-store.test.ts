import { describe, expect, test } from '@jest/globals';
import type { AwsRequest, CallAws } from '../../../lib/adapters/aws/aws-caller.ts';
import { createAwsSecretStore } from '../../../lib/adapters/secrets/aws-secret-store.ts';
import { createParameterStore } from '../../../lib/adapters/secrets/parameter-store.ts';
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
  return aCall((target, { Name, Value, Type, WithDecryption }) => {
    const name = String(Name);
    if (target === 'AmazonSSM.PutParameter') {
      if (Type !== 'SecureString') return answer(400, { __type: 'ValidationException' });
      parameters.set(name, String(Value));
      return answer(200, { Version: 1 });
    }
    const found = parameters.get(name);
    if (found === undefined) return answer(400, { __type: 'ParameterNotFound' });
    if (target === 'AmazonSSM.DeleteParameter') parameters.delete(name);
    return answer(200, { Parameter: { Value: WithDecryption === true ? found : 'encrypted' } });
  });
};

const aStore = (call: CallAws, callSecretsManager: (region: string) => CallAws = () => call) =>
  createAwsSecretStore({
    parameters: createParameterStore(call, '/hookloom-dev/credentials'),
    callSecretsManager,
  });

describeSecretStore('Parameter Store', () => aStore(parameterStore()));

describe('a secret in AWS', () => {
  test('is under the path of its stage', async () => {
    expect(await aStore(parameterStore()).put('crm', 'x')).toBe('ssm:/hookloom-dev/credentials/crm');
  });

  test('is read from Secrets Manager by its ARN, in its region, and not removed there', async () => {
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
    ['throttled', aCall(() => answer(400, { __type: 'ThrottlingException' }))],
    ['forbidden', aCall(() => answer(400, { __type: 'AccessDeniedException' }))],
    ['broken', aCall(() => answer(500, {}))],
    ['not reached', () => Promise.reject(new Error('no connection'))],
  ] as const)('that is %s is an outage, never a missing one', async (_case, call) => {
    const store = aStore(call);
    for (const work of [() => store.get('ssm:/a'), () => store.get(ARN), () => store.put('crm', 'x')])
      await expect(work()).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
  });
});
