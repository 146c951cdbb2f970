import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../support/a-command-line.ts';
import { startTargetServer } from '../support/a-target-server.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';

const openCommandLine = useCommandLine();

describe('credential create, of a type for calling out,', () => {
  test('takes the one secret of its type from standard input, and shows it nowhere', async () => {
    const { call, target, secretsFolder } = await openCommandLine();
    const { code, out, err } = await call('credential create crm --type httpBearer', 'the-token-1\n');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toBe('crm: created, of the type httpBearer; its secret is in file:crm');
    expect(await target().outbound.store.find('crm')).toEqual({
      id: 'crm',
      type: 'httpBearer',
      fields: {},
      reference: 'file:crm',
      revision: 1,
    });
    expect(readFileSync(join(secretsFolder, 'crm'), 'utf8')).toBe('{"token":"the-token-1"}');
    expect(statSync(join(secretsFolder, 'crm')).mode & 0o777).toBe(0o600);
    for (const command of ['credential list', 'credential list --json', 'credential list --json'])
      expect((await call(command)).out).not.toContain('the-token-1');
    expect((await call('credential list')).out).toBe('crm\thttpBearer\t-\tfile:crm');
  });

  test('takes JSON from standard input, public fields as options, and fills in defaults', async () => {
    const { call, target } = await openCommandLine();
    const made = await call(
      'credential create db --type postgres --field host=db.example.com database=shop --field username=ann',
      '{"password":"a=b c/d"}',
    );
    expect(made.code).toBe(0);
    expect((await target().outbound.store.find('db'))?.fields).toEqual({
      host: 'db.example.com',
      port: '5432',
      database: 'shop',
      sslmode: 'verify-full',
      username: 'ann',
    });
  });

  describe('a key of several lines', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const key = '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n';
    const create = 'credential create bank --type tlsClient --field'.split(' ');

    test('is read as JSON', async () => {
      const { call, secretsFolder, target } = await openCommandLine();
      const { code } = await call([...create, `certificate=${certificate}`], JSON.stringify({ key }));
      expect(code).toBe(0);
      expect((await target().outbound.store.find('bank'))?.fields).toEqual({ certificate });
      expect(JSON.parse(readFileSync(join(secretsFolder, 'bank'), 'utf8'))).toEqual({ key });
    });

    test('is refused when a terminal has only its first line', async () => {
      const { call } = await openCommandLine();
      const answers = [key.split('\n')[0] ?? '', ''];
      const { code, err } = await call([...create, `certificate=${certificate}`], answers);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('tlsClient: key is not valid') });
    });
  });

  test('asks on a terminal, without echo', async () => {
    const { call, secretsFolder } = await openCommandLine();
    const fields = '--field tokenUrl=https://login.example.com/token --field clientId=shop';
    const { code, err } = await call(`credential create crm --type oauth2 ${fields}`, [
      'client-secret-1',
      '',
    ]);
    expect(code).toBe(0);
    expect(err).toContain('Client secret (none when empty): \n');
    expect(err).not.toContain('client-secret-1');
    expect(readFileSync(join(secretsFolder, 'crm'), 'utf8')).toBe('{"clientSecret":"client-secret-1"}');
  });

  test.each([
    [
      '--type httpBearr',
      'x',
      2,
      'There is no credential type "httpBearr"; did you mean "httpBearer"? Types: apiKey, basic, httpBearer',
    ],
    [
      '--type httpBearer --username ann',
      'the-token',
      2,
      '--username and --password-stdin are for the type basic',
    ],
    ['--type apiKey --field a=b', '', 2, '--field and --ref are for credentials for calling out'],
    [
      '--type httpBearer --field token=abc',
      '',
      2,
      'token is secret: it is asked for, or read from standard input',
    ],
    [
      '--type httpBasic --field user=ann',
      'the-password',
      2,
      'httpBasic has no field "user"; did you mean "username"?',
    ],
    [
      '--type httpBasic --field username',
      'the-password',
      2,
      '--field username needs a value: username=VALUE',
    ],
    ['--type httpBasic', 'the-password', 1, 'httpBasic: lacks the key "username"'],
    ['--type httpBasic --field username=a:b', 'the-password', 1, 'httpBasic: username must match pattern'],
    [
      '--type httpBearer',
      '',
      1,
      'Standard input has no secret of the type httpBearer: it must be {"token":"…"}',
    ],
    ['--type httpBearer', '{"token":7}', 1, 'Standard input has no secret of the type httpBearer'],
    [
      '--type httpBearer',
      '{"tokn":"the-token"}',
      1,
      'httpBearer: has the key "tokn", which is not known here',
    ],
    ['--type httpBearer', 'abc', 1, 'httpBearer: token has 6 characters at least'],
    [
      '--type httpBearer --ref arn:aws:secretsmanager:eu-west-1:123456789012:secret:test/x',
      '',
      2,
      '--ref needs --stage',
    ],
  ])('%s with %j is refused with exit code %d, and stores nothing', async (options, stdin, code, message) => {
    const { call, secretsFolder } = await openCommandLine();
    const result = await call(`credential create crm ${options}`, stdin);
    expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
    expect(result.err).toContain(message);
    expect((await call('credential list')).err).toBe('There are no credentials.');
    expect(() => readdirSync(secretsFolder)).toThrow('ENOENT');
  });

  test('is refused for an id that a credential of either kind has', async () => {
    const { call } = await openCommandLine();
    await call('credential create key --type apiKey');
    await call('credential create crm --type httpBearer', 'the-token-1');
    for (const [id, type] of [
      ['key', 'httpBearer'],
      ['crm', 'apiKey'],
      ['crm', 'httpBearer'],
    ]) {
      expect(await call(`credential create ${id} --type ${type}`, 'the-token-2')).toMatchObject({
        code: 1,
        err: `There is a credential ${id} already; rotate it, or choose another id.`,
      });
    }
  });
});

describe('a credential for calling out', () => {
  test('is rotated: fields that are not given stay', async () => {
    const { call, target, secretsFolder } = await openCommandLine();
    const fields = '--field tokenUrl=https://login.example.com/token --field clientId=shop';
    await call(
      `credential create crm --type oauth2 ${fields}`,
      '{"clientSecret":"client-secret-1","refreshToken":"refresh-1"}',
    );
    expect(await call('credential rotate crm', ['', 'refresh-2'])).toMatchObject({ code: 0, out: '' });
    expect(JSON.parse(readFileSync(join(secretsFolder, 'crm'), 'utf8'))).toEqual({
      clientSecret: 'client-secret-1',
      refreshToken: 'refresh-2',
    });
    expect((await target().outbound.store.find('crm'))?.revision).toBe(2);
  });

  test('of the type signingSecret keeps the secret that is rotated live', async () => {
    const { call, secretsFolder } = await openCommandLine();
    const stored = () => JSON.parse(readFileSync(join(secretsFolder, 'stripe'), 'utf8'));
    await call('credential create stripe --type signingSecret', 'whsec_1234\n');
    expect(stored()).toEqual({ secret: 'whsec_1234' });
    await call('credential rotate stripe', 'whsec_5678');
    expect(stored()).toEqual({ secret: 'whsec_5678', previous: 'whsec_1234' });
    await call('credential rotate stripe', 'whsec_5678'); // the same once more
    expect(stored()).toEqual({ secret: 'whsec_5678', previous: 'whsec_1234' });
    await call('credential rotate stripe', 'whsec_9012');
    expect(stored()).toEqual({ secret: 'whsec_9012', previous: 'whsec_5678' });
    await call('credential rotate stripe', '{"previous":""}');
    expect(stored()).toEqual({ secret: 'whsec_9012', previous: '' });
  });

  test('is removed with its secret; its id is free again', async () => {
    const { call, secretsFolder } = await openCommandLine();
    await call('credential create crm --type httpBearer', 'the-token-1');
    expect(await call('credential remove crm')).toEqual({ code: 0, out: 'crm: removed', err: '' });
    expect(readdirSync(secretsFolder)).toEqual([]);
    expect(await call('credential remove crm')).toMatchObject({
      code: 1,
      err: 'There is no credential crm.',
    });
    expect(await call('credential create crm --type apiKey')).toMatchObject({ code: 0 });
    expect(await call('credential remove crm')).toMatchObject({
      code: 1,
      err: 'crm is for callers: see credential revoke.',
    });
  });

  test('is tested live', async () => {
    const { call } = await openCommandLine();
    const server = await startTargetServer();
    const before = process.env.OUTBOUND_ALLOW;
    process.env.OUTBOUND_ALLOW = server.url.replace('http://', '');
    try {
      await call(`credential create crm --type httpBearer --field testUrl=${server.url}/me`, 'the-token-1');
      const tested = call('credential test crm');
      (await server.received('/me')).answer();
      expect(await tested).toEqual({
        code: 0,
        out: `crm: healthy, ${new URL(server.url).host} answered 200`,
        err: '',
      });
    } finally {
      process.env.OUTBOUND_ALLOW = before ?? '';
      server.stop();
    }
    expect(await call('credential test crm')).toMatchObject({
      code: 1,
      err: expect.stringContaining('crm: unhealthy'),
    });
    await call(
      'credential create mail --type smtp --field host=10.0.0.1 --field username=ann',
      'the-password',
    );
    expect(await call('credential test mail')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^mail: unhealthy, A connection to 10\.0\.0\.1:587 was refused: .* OUTBOUND_ALLOW/,
      ),
    });
    expect(await call('credential test other')).toMatchObject({
      code: 1,
      err: 'There is no credential other.',
    });
  });

  test('is no credential of callers: it has no secrets to revoke, and a webhook refuses it', async () => {
    const { call, file } = await openCommandLine();
    await call('credential create crm --type httpBearer', 'the-token-1');
    expect(await call('credential revoke crm --all')).toMatchObject({
      code: 1,
      err: 'crm is for calling out: see credential remove.',
    });
    const trigger = aTrigger({ authentication: 'apiKey' }, { credentialId: 'crm' });
    const path = file('w.json', aWorkflow({ nodes: [trigger], connections: [] }));
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: 'greeting: /nodes/0/credentialId the credential "crm" is of the type httpBearer, and the node takes apiKey',
    });
    const misspelt = file(
      'w.json',
      aWorkflow({ nodes: [{ ...trigger, credentialId: 'crn' }], connections: [] }),
    );
    expect((await call(`workflow put ${misspelt}`)).err).toBe(
      'greeting: /nodes/0/credentialId there is no credential "crn"; did you mean "crm"?',
    );
  });
});

describe('a credential that is bound to a secret of Secrets Manager', () => {
  const arn = (name: string) => `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}`;

  /** A command line whose target is a deployed stage with one secret. */
  const openStage = async () => {
    const removed: string[] = [];
    const local = await openCommandLine();
    const openTarget = () => {
      const target = local.target();
      const secrets = {
        get: async (reference: string) => (reference === arn('test/crm-AbCdEf') ? 'the-token-1' : null),
        put: () => Promise.reject(new Error('it is only read')),
        remove: async (reference: string) => void removed.push(reference),
      };
      return { ...target, outbound: { ...target.outbound, secrets } };
    };
    return { ...(await openCommandLine({ openTarget })), removed };
  };

  test('is created by its ARN, rotated where it is, and removed without it', async () => {
    const { call } = await openStage();
    const made = await call(`credential create crm --type httpBearer --ref ${arn('test/crm-AbCdEf')}`);
    expect(made).toMatchObject({ code: 0, err: expect.stringContaining(arn('test/crm-AbCdEf')) });
    expect(await call('credential rotate crm', 'the-token-2')).toMatchObject({
      code: 1,
      err: `The secret of crm is rotated where it is: ${arn('test/crm-AbCdEf')}`,
    });
    expect(await call('credential remove crm')).toMatchObject({
      code: 0,
      out: 'crm: removed; its secret stays in Secrets Manager',
    });
  });

  test.each([
    ['crm', 2, '--ref must be the ARN of a secret of Secrets Manager'],
    [
      arn('other/crm-AbCdEf'),
      1,
      'The functions may read secrets named test/…, and this is other/crm-AbCdEf.',
    ],
    [arn('test/gone-AbCdEf'), 1, 'has no secret of the type httpBearer, or does not exist.'],
  ])('is refused for %s', async (ref, code, message) => {
    const { call } = await openStage();
    const result = await call(`credential create crm --type httpBearer --ref ${ref}`);
    expect(result.code).toBe(code);
    expect(result.err).toContain(message);
    expect((await call('credential list')).err).toBe('There are no credentials.');
  });
});
