import { describe, expect, test } from '@jest/globals';
import credentialTypes from '../../../nodes/credential-types/credential-types.plugin.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { aServer, noTcp } from '../../support/outbound-credentials.ts';

const URL_OF_API = 'https://api.example.com/orders?page=2';

const typeOf = (id: string) => {
  const type = credentialTypes.credentialTypes?.find((candidate) => candidate.id === id);
  if (type === undefined) throw new Error(`there is no type ${id}`);
  return type;
};

const aContext = (http = aServer()) => ({
  http,
  tcp: noTcp,
  clock: aManualClock(),
  signal: new AbortController().signal,
});

describe('a request gets', () => {
  test.each([
    ['httpBearer', { token: 't0ken' }, { headers: { authorization: 'Bearer t0ken' } }],
    [
      'httpBasic',
      { username: 'ann', password: 'pässword' },
      { headers: { authorization: 'Basic YW5uOnDDpHNzd29yZA==' } },
    ],
    ['httpHeader', { name: 'X-Api-Key', value: 'k3y' }, { headers: { 'x-api-key': 'k3y' } }],
    ['httpQuery', { name: 'key', value: 'a b&c' }, { url: `${URL_OF_API}&key=a+b%26c` }],
  ])('%s', async (id, fields, expected) => {
    const applied = await typeOf(id).apply?.(anOutboundRequest(URL_OF_API), fields, aContext());
    expect(applied).toMatchObject(expected);
  });

  test('one header per name, whatever the node has set', async () => {
    const request = anOutboundRequest(URL_OF_API, {
      headers: { Authorization: 'Bearer other', accept: '*/*' },
    });
    const applied = await typeOf('httpBearer').apply?.(request, { token: 't0ken' }, aContext());
    expect(applied?.headers).toEqual({ accept: '*/*', authorization: 'Bearer t0ken' });
  });
});

describe('the live test', () => {
  test.each([
    [204, 'healthy'],
    [401, 'unhealthy'],
  ])('with a response %d is %s', async (status, expected) => {
    const server = aServer(() => ({ status }));
    const fields = { token: 't0ken', testUrl: 'https://api.example.com/me' };
    expect(await typeOf('httpBearer').test?.(fields, aContext(server))).toEqual({
      status: expected,
      message: `api.example.com answered ${status}`,
    });
    expect(server.requests).toMatchObject([{ method: 'GET', headers: { authorization: 'Bearer t0ken' } }]);
  });

  test('is a warning without a testUrl, and calls nothing', async () => {
    const server = aServer();
    expect(
      await typeOf('httpBasic').test?.({ username: 'ann', password: 'x' }, aContext(server)),
    ).toMatchObject({
      status: 'warning',
    });
    expect(server.requests).toEqual([]);
  });
});

test('smtp and postgres only provide their fields: they add nothing to requests', () => {
  for (const id of ['smtp', 'postgres']) {
    expect(typeOf(id)).not.toHaveProperty('apply');
    expect(typeOf(id).secretFields).toEqual(['password']);
  }
});

test('awsRole signs with the role, or says where it cannot', async () => {
  const { apply } = typeOf('awsRole');
  const role = { roleArn: 'arn:aws:iam::123456789012:role/hookloom-dev/reports', externalId: 'partner-7' };
  const request = anOutboundRequest('https://s3.eu-west-1.amazonaws.com/bucket/key');
  const signWithRole = async (unsigned: typeof request, given: object) => ({
    ...unsigned,
    headers: { signed: JSON.stringify(given) },
  });
  expect(await apply?.(request, role, { ...aContext(), signWithRole })).toMatchObject({
    headers: { signed: JSON.stringify(role) },
  });
  expect(() => apply?.(request, role, aContext())).toThrow('works only in AWS');
});
