import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SECRETS_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

describe('credential create with an outbound type', () => {
  test('reads the only secret of its type from standard input, and never prints it', async () => {
    const { call, stores, secretsFolder } = await openCommandLine();
    const { code, out, err } = await call(
      'credential create crm --type httpBearer --host crm.example.com',
      'the-token-1\n',
    );
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toBe('crm: created, of the type httpBearer, for crm.example.com; its secret is in file:crm');
    expect(await stores.outbound.store.find('crm')).toEqual({
      id: 'crm',
      type: 'httpBearer',
      fields: {},
      hosts: ['crm.example.com'],
      reference: 'file:crm',
      revision: 1,
    });
    expect(readFileSync(join(secretsFolder, 'crm'), 'utf8')).toBe('{"token":"the-token-1"}');
    expect(statSync(join(secretsFolder, 'crm')).mode & 0o777).toBe(0o600);
    for (const command of ['credential list', 'credential list --json', 'credential list --json'])
      expect((await call(command)).out).not.toContain('the-token-1');
    expect((await call('credential list')).out).toMatch(/^crm +httpBearer +crm\.example\.com +- +file:crm$/m);
  });

  test('takes JSON from standard input, public fields as options, and fills in defaults', async () => {
    const { call, stores } = await openCommandLine();
    const made = await call(
      'credential create db --type postgres --field host=db.example.com database=shop --field username=ann',
      '{"password":"a=b c/d"}',
    );
    expect(made.code).toBe(0);
    expect((await stores.outbound.store.find('db'))?.fields).toEqual({
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
    const create = 'credential create bank --type tlsClient --host bank.example.com --field'.split(' ');

    test('is accepted as JSON', async () => {
      const { call, secretsFolder, stores } = await openCommandLine();
      const { code } = await call([...create, `certificate=${certificate}`], JSON.stringify({ key }));
      expect(code).toBe(0);
      expect((await stores.outbound.store.find('bank'))?.fields).toEqual({ certificate });
      expect(JSON.parse(readFileSync(join(secretsFolder, 'bank'), 'utf8'))).toEqual({ key });
    });

    test('is refused when a terminal has only its first line', async () => {
      const { call } = await openCommandLine();
      const answers = [key.split('\n')[0] ?? '', ''];
      const { code, err } = await call([...create, `certificate=${certificate}`], answers);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('tlsClient: key is not valid') });
    });
  });

  test('takes the JSON file of a key as it is', async () => {
    const { call, secretsFolder, stores } = await openCommandLine();
    const key = JSON.stringify({ client_email: 'robot@shop.example', private_key: 'MIGH' }, null, 2);
    const create = 'credential create sheets --type googleServiceAccount --field scope=drive';
    expect(await call(create, `${key}\n`)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(secretsFolder, 'sheets'), 'utf8'))).toEqual({ key });
    expect((await stores.outbound.store.find('sheets'))?.hosts).toEqual(['*.googleapis.com']);
    const refused = await call(create.replace('sheets', 'docs'), '{"client_email":"robot@shop.example"}');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('key is not valid') });
  });

  test.each([
    ['httpHeader --field name=x-key --host a.example', 'the-value-1', { value: 'the-value-1' }],
    [
      'httpHeader --field name=x-key --field secondName=x-more --host a.example',
      '{"value":"the-value-1","secondValue":"the-value-2"}',
      { value: 'the-value-1', secondValue: 'the-value-2' },
    ],
    [
      'awsKeys --field accessKeyId=AKIAIOSFODNN7EXAMPLE --host a.example',
      'wJalr/XUtnFEMI',
      { secretAccessKey: 'wJalr/XUtnFEMI' },
    ],
  ])('takes the one secret that a type needs as it is: %s', async (type, input, secret) => {
    const { call, secretsFolder } = await openCommandLine();
    expect(await call(`credential create one --type ${type}`, `${input}\n`)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(secretsFolder, 'one'), 'utf8'))).toEqual(secret);
  });

  test('prompts on a terminal, without echo for secrets', async () => {
    const { call, secretsFolder, stores } = await openCommandLine();
    const fields = '--field tokenUrl=https://login.example.com/token --field clientId=shop';
    const { code, err } = await call(`credential create crm --type oauth2 ${fields}`, [
      'API.example.com *.example.org',
      'client-secret-1',
      '',
    ]);
    expect(code).toBe(0);
    expect(err).toContain('Allowed hosts, such as api.example.com, *.example.com or localhost:8080');
    expect((await stores.outbound.store.find('crm'))?.hosts).toEqual(['api.example.com', '*.example.org']);
    expect(err).toContain('Client secret (none if empty): \n');
    expect(err).not.toContain('client-secret-1');
    expect(readFileSync(join(secretsFolder, 'crm'), 'utf8')).toBe('{"clientSecret":"client-secret-1"}');
  });

  test.each([
    [
      '--type httpBearr',
      'x',
      2,
      'There is no credential type "httpBearr"; did you mean "httpBearer"? Types: apiKey, basic, awsKeys, awsRole, googleServiceAccount, httpBasic',
    ],
    [
      '--type httpBearer --username ann',
      'the-token',
      2,
      '--username and --password-stdin are for the type basic',
    ],
    [
      '--type apiKey --field a=b',
      '',
      2,
      '--field, --host, --ref, --per-second and --at-once are for outbound credentials',
    ],
    [
      '--type httpBearer --field token=abc',
      '',
      2,
      'token is secret: it is prompted for or read from standard input',
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
    ['--type httpBasic --host a.example', 'the-password', 1, 'httpBasic: lacks the key "username"'],
    [
      '--type httpBasic --host a.example --field username=a:b',
      'the-password',
      1,
      'httpBasic: username must match pattern',
    ],
    [
      '--type httpBearer --host a.example',
      '',
      1,
      'Standard input has no secret of the type httpBearer: it must be {"token":"…"}',
    ],
    [
      '--type httpBearer --host a.example',
      '{"token":7}',
      1,
      'Standard input has no secret of the type httpBearer',
    ],
    [
      '--type httpBearer --host a.example',
      '{"tokn":"the-token"}',
      1,
      'httpBearer: has the unknown key "tokn"',
    ],
    ['--type httpBearer --host a.example', 'abc', 1, 'httpBearer: token needs at least 6 characters'],
    [
      '--type httpBearer --host a.example',
      '{"token":"      "}',
      1,
      'httpBearer: token needs at least 6 characters',
    ],
    ['--type signingSecret', '{"secret":"      "}', 1, 'signingSecret: secret needs at least 6 characters'],
    ['--type signingSecret', 'whsec_', 1, 'signingSecret: secret needs at least 6 characters'],
    ['--type signingSecret', 'whpk_ ', 1, 'signingSecret: secret needs at least 6 characters'],
    [
      '--type httpBearer --host a.example --ref arn:aws:secretsmanager:eu-west-1:123456789012:secret:test/x',
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

  test('refuses an id that a credential of either kind has', async () => {
    const { call } = await openCommandLine();
    await call('credential create key --type apiKey');
    await call('credential create crm --type httpBearer --host crm.example.com', 'the-token-1');
    for (const [id, type] of [
      ['key', 'httpBearer --host a.example'],
      ['crm', 'apiKey'],
      ['crm', 'httpBearer --host a.example'],
    ]) {
      expect(await call(`credential create ${id} --type ${type}`, 'the-token-2')).toMatchObject({
        code: 1,
        err: `The credential ${id} already exists; rotate it, or choose another id.`,
      });
    }
  });
});

describe('an outbound credential', () => {
  test('keeps the fields that a rotation does not set', async () => {
    const { call, stores, secretsFolder } = await openCommandLine();
    const fields = '--field tokenUrl=https://login.example.com/token --field clientId=shop';
    await call(
      `credential create crm --type oauth2 --host api.example.com ${fields}`,
      '{"clientSecret":"client-secret-1","refreshToken":"refresh-1"}',
    );
    expect(await call('credential rotate crm', ['', 'refresh-2'])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(secretsFolder, 'crm'), 'utf8'))).toEqual({
      clientSecret: 'client-secret-1',
      refreshToken: 'refresh-2',
    });
    expect((await stores.outbound.store.find('crm'))?.revision).toBe(3);
  });

  test('of the type signingSecret keeps the previous secret live after a rotation', async () => {
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

  test('is removed with its secret, and its id can be used again', async () => {
    const { call, secretsFolder } = await openCommandLine();
    await call('credential create crm --type httpBearer --host crm.example.com', 'the-token-1');
    expect(await call('credential remove crm')).toEqual({ code: 0, out: 'crm: removed', err: '' });
    expect(readdirSync(secretsFolder)).toEqual([]);
    expect(await call('credential remove crm')).toMatchObject({
      code: 1,
      err: 'There is no credential crm.',
    });
    expect(await call('credential create crm --type apiKey')).toMatchObject({ code: 0 });
    expect(await call('credential remove crm')).toMatchObject({ code: 0, out: 'crm: removed' });
  });

  test('is not removed while nodes name it, unless forced', async () => {
    const { call, file } = await openCommandLine();
    await call('credential create crm --type httpBearer --host crm.example.com', 'the-token-1');
    const calls = {
      id: 'send',
      type: 'httpRequest',
      credentialId: 'crm',
      parameters: { url: 'https://crm.example.com' },
    };
    const nodes = [aTrigger(), calls, { ...calls, id: 'later', disabled: true }];
    const connections = [
      { sourceNodeId: 'request', targetNodeId: 'send' },
      { sourceNodeId: 'send', targetNodeId: 'later' },
    ];
    expect(
      await call(`workflow put ${file('w.json', aWorkflow({ nodes, connections, enabled: false }))}`),
    ).toMatchObject({ code: 0 });
    expect(await call('credential remove crm')).toEqual({
      code: 1,
      out: '',
      err: [
        'crm is in use and was not removed. It is used by:',
        '  greeting: the node "send"',
        '  greeting: the node "later"',
        'To remove it anyway: --force',
      ].join('\n'),
    });
    expect(await call('credential list')).toMatchObject({ out: expect.stringContaining('crm') });
    expect(await call('credential remove crm --force')).toMatchObject({ code: 0, out: 'crm: removed' });
  });

  test('does not authenticate callers: it has no secrets to revoke, and a webhook refuses it', async () => {
    const { call, file } = await openCommandLine();
    await call('credential create crm --type httpBearer --host crm.example.com', 'the-token-1');
    expect(await call('credential revoke crm --all')).toMatchObject({
      code: 1,
      err: 'crm is for calling out and has one secret: rotate or remove it.',
    });
    const trigger = aTrigger({ authentication: 'apiKey' }, { credentialId: 'crm' });
    const path = file('w.json', aWorkflow({ nodes: [trigger], connections: [] }));
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        '/nodes/0/credentialId the credential "crm" has the type httpBearer, but the node accepts apiKey',
      ),
    });
    const misspelt = file(
      'w.json',
      aWorkflow({ nodes: [{ ...trigger, credentialId: 'crn' }], connections: [] }),
    );
    expect((await call(`workflow put ${misspelt}`)).err).toContain(
      '/nodes/0/credentialId there is no credential "crn"; did you mean "crm"?',
    );
  });
});

describe('a credential that is bound to a secret of Secrets Manager', () => {
  const arn = (name: string) => `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}`;

  /** A command line whose target is a deployed stage with one secret. */
  const openStage = async () => {
    const secrets = {
      referenceOf: (name: string) => `ssm:${name}`,
      get: async (reference: string) => {
        if (reference === arn('test/foreign-AbCdEf')) throw new AppError(SECRETS_UNAVAILABLE, {});
        return reference === arn('test/crm-AbCdEf') ? 'the-token-1' : null;
      },
      put: () => Promise.reject(new Error('it is only read')),
      remove: async () => {},
    };
    const line = await openCommandLine({ spoil: () => ({ secrets }), isStage: true });
    return line;
  };

  test('is created with its ARN, rotated there, and removed without its secret', async () => {
    const { call } = await openStage();
    const made = await call(
      `credential create crm --type httpBearer --host a.example --ref ${arn('test/crm-AbCdEf')}`,
    );
    expect(made).toMatchObject({ code: 0, err: expect.stringContaining(arn('test/crm-AbCdEf')) });
    expect(await call('credential rotate crm', 'the-token-2')).toMatchObject({
      code: 1,
      err: `Rotate the secret of crm where it is stored: ${arn('test/crm-AbCdEf')}`,
    });
    expect(await call('credential remove crm')).toMatchObject({
      code: 0,
      out: 'crm: removed; its secret stays in Secrets Manager',
    });
  });

  test.each([
    ['crm', '--ref must be the ARN of a Secrets Manager secret'],
    [arn('other/crm-AbCdEf'), '--ref must be named test/…: the functions may read no other secrets'],
    [arn('test/gone-AbCdEf'), '--ref has no secret of the type httpBearer, does not exist'],
    [arn('test/foreign-AbCdEf'), 'or may not be read by the service'],
  ])('is refused for %s', async (ref, message) => {
    const { call } = await openStage();
    const result = await call(`credential create crm --type httpBearer --host a.example --ref ${ref}`);
    expect(result.code).toBe(1);
    expect(result.err).toContain(message);
    expect((await call('credential list')).err).toBe('There are no credentials.');
  });
});

describe('the hosts of an outbound credential', () => {
  const hostsOf = async ({ stores }: Awaited<ReturnType<typeof openCommandLine>>, id = 'crm') =>
    (await stores.outbound.store.find(id))?.hosts;

  test.each([
    ['--host api.example.com', ['api.example.com']],
    ['--host API.example.com --host *.example.org:8443', ['api.example.com', '*.example.org:8443']],
    ['--host a.example a.example b.example', ['a.example', 'b.example']],
    ['--host *', ['*']],
    ['--field testUrl=http://127.0.0.1:4010/me?a=b', ['127.0.0.1:4010']],
    ['--field testUrl=https://a.example.com/me --host *.example.com', ['*.example.com']],
  ])('%s are %j', async (options, hosts) => {
    const line = await openCommandLine();
    expect((await line.call(`credential create crm --type httpBearer ${options}`, 'the-token-1')).code).toBe(
      0,
    );
    expect(await hostsOf(line)).toEqual(hosts);
  });

  test.each([
    ['', 2, '--host NAME is required: the host that the credential may be sent to, such as api.example.com'],
    [
      '--host https://api.example.com/v1',
      2,
      '"https://api.example.com/v1" is not a host: write it as api.example.com, *.example.com or localhost:8080; did you mean "api.example.com"?',
    ],
    ['--host a.example --host a/b', 2, '"a/b" is not a host'],
    [
      '--host a.example --field testUrl=https://b.example:8443/?key=c',
      1,
      'httpBearer: testUrl is at b.example:8443, but the credential is only for a.example',
    ],
  ])('%j is refused, and stores nothing', async (options, code, message) => {
    const { call, secretsFolder } = await openCommandLine();
    const refused = await call(`credential create crm --type httpBearer ${options}`, 'the-token-1');
    expect(refused).toMatchObject({ code, err: expect.stringContaining(message) });
    expect((await call('credential list')).err).toBe('There are no credentials.');
    expect(() => readdirSync(secretsFolder)).toThrow('ENOENT');
  });

  test('are prompted for on a terminal, with the host of testUrl as the suggestion', async () => {
    const line = await openCommandLine();
    const create = 'credential create crm --type httpBearer --field testUrl=https://a.example.com/me';
    const { err } = await line.call(create, ['', 'the-token-1']);
    expect(err).toContain('separated by spaces (a.example.com if empty): ');
    expect(await hostsOf(line)).toEqual(['a.example.com']);
    expect(await line.call('credential create other --type httpBearer', ['', 'the-token-1'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('A credential must name its allowed hosts; * allows any host.'),
    });
  });

  test('that allow any host are reported', async () => {
    const { call } = await openCommandLine();
    const { err } = await call('credential create crm --type httpBearer --host *', 'the-token-1');
    expect(err).toContain(
      'crm: this credential is sent to any URL, even one that a workflow computes from its input',
    );
    expect((await call('credential list')).out).toMatch(/^crm +httpBearer +\* \(any host\) +- +file:crm$/m);
  });

  test('are derived by a type that knows them, and follow its secret', async () => {
    const line = await openCommandLine();
    const { call } = line;
    const create = 'credential create crm --type slackWebhook';
    await call(create, 'https://hooks.slack.com/services/1');
    expect(await hostsOf(line)).toEqual(['hooks.slack.com']);
    await call('credential rotate crm', 'https://chat.example.com:8443/hooks/1');
    expect(await hostsOf(line)).toEqual(['chat.example.com:8443']);
    await call('credential hosts crm --host *.example.com:8443', 'https://chat.example.com:8443/hooks/1');
    await call('credential rotate crm', 'https://other.example.com:8443/hooks/1');
    expect(await hostsOf(line)).toEqual(['*.example.com:8443']);
    expect((await call('credential hosts crm')).out).toContain('crm: for other.example.com:8443');
    await call(
      'credential create reports --type awsRole --field roleArn=arn:aws:iam::123456789012:role/a',
      '{}',
    );
    expect(await hostsOf(line, 'reports')).toContain('*.amazonaws.com');
  });

  test('can be changed', async () => {
    const line = await openCommandLine();
    const { call } = line;
    const testUrl = '--field testUrl=https://a.example/me';
    await call(`credential create crm --type httpBearer ${testUrl}`, 'the-token-1');
    const more = 'credential hosts crm --host A.example --host b.example';
    const why = 'b.example would get the secret: give all of its fields again, they replace the stored ones';
    expect(await call(more)).toEqual({
      code: 1,
      out: '',
      err: `${why}\nStandard input has no secret of the type httpBearer: it must be {"token":"…"}`,
    });
    expect(await hostsOf(line)).toEqual(['a.example']);
    expect(await call(more, 'the-token-3')).toEqual({
      code: 0,
      out: 'crm: for a.example, b.example; takes effect in every sandbox within a minute',
      err: why,
    });
    expect(await call('credential hosts crm --host a.example')).toMatchObject({ code: 0, err: '' });
    await call(more, 'the-token-3');
    expect(await hostsOf(line)).toEqual(['a.example', 'b.example']);
    expect(await call('credential hosts crm --host b.example')).toMatchObject({
      code: 1,
      err: 'httpBearer: testUrl is at a.example, but the credential is only for b.example',
    });
    await call('credential create key --type apiKey');
    expect(await call('credential hosts key --host a.example')).toMatchObject({
      code: 1,
      err: 'key is for callers: see credential revoke.',
    });
    expect(await call('credential rotate crm', 'the-token-2')).toMatchObject({ code: 0 });
    expect(await hostsOf(line)).toEqual(['a.example', 'b.example']);
  });

  test('are shown with limits on calls, which are replaced and removed', async () => {
    const { call } = await openCommandLine();
    await call('credential create crm --type httpBearer --host a.example --per-second 10', 'the-token-1');
    expect((await call('credential show crm')).out).toContain('limits    10 calls a second\n');
    expect(await call('credential limits crm --per-second 0.5 --at-once 4')).toEqual({
      code: 0,
      out: 'crm: 1 call in 2 s, 4 at a time; takes effect in every sandbox within a minute',
      err: '',
    });
    expect(await call('credential limits crm --none')).toMatchObject({
      out: 'crm: without limits; takes effect in every sandbox within a minute',
    });
    expect((await call('credential show crm')).out).not.toContain('limits');
  });

  test.each([
    ['credential limits crm', 2, 'Name --per-second, --at-once or both; or use --none to remove the limits'],
    ['credential limits crm --none --at-once 2', 2, 'Name --per-second, --at-once or both'],
    ['credential limits crm --per-second many', 2, '--per-second must be a number greater than 0'],
    ['credential limits crm --per-second 501', 1, 'must be at most 500'],
    ['credential limits crm --at-once 1.5', 1, 'must be a whole number'],
    ['credential create key --type apiKey --at-once 2', 2, 'are for outbound credentials'],
  ])('%s is refused', async (line, code, message) => {
    const { call } = await openCommandLine();
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    expect(await call(line)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  test('are empty for a type that only provides its fields', async () => {
    const line = await openCommandLine();
    const create = 'credential create mail --type smtp --field host=mail.example.com username=ann';
    expect(await line.call(`${create} --host mail.example.com`, 'the-password')).toMatchObject({
      code: 2,
      err: expect.stringContaining('smtp passes its fields to nodes and is never added to a request'),
    });
    await line.call(create, 'the-password');
    expect(await hostsOf(line, 'mail')).toEqual([]);
    expect((await line.call('credential list')).out).toMatch(/^mail +smtp +nodes +- +file:mail$/m);
  });

  test('that were never set allow any host, and can be set later', async () => {
    const line = await openCommandLine();
    const { call, stores } = line;
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    const { store } = stores.outbound;
    const known = await store.find('crm');
    if (known === null) throw new Error('it was created');
    await store.put({ ...known, hosts: null, revision: 2 }); // as it was stored before credentials named hosts
    expect((await call('credential list')).out).toMatch(/^crm +httpBearer +any host +- +file:crm$/m);
    await call('credential rotate crm', 'the-token-2');
    expect(await hostsOf(line)).toBeNull();
    await call('credential hosts crm --host a.example');
    expect(await hostsOf(line)).toEqual(['a.example']);
  });
});
