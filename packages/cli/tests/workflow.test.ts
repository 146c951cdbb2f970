import { dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

describe('workflow put', () => {
  test('stores a file, and prints version and URLs', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', aWorkflow());
    expect(await call(`workflow put ${path}`)).toEqual({
      code: 0,
      out: 'greeting: version 1\n  POST https://example.com/api/webhook/greeting/webhook',
      err: '',
    });
    expect(await call('workflow list')).toMatchObject({
      out: expect.stringMatching(/\ngreeting {2}enabled {2}1 {8}\S+Z {2}Greeting$/),
    });
  });

  test('prints each method of a path with parameters', async () => {
    const { call, file } = await openCommandLine();
    const trigger = aTrigger({ path: '/users/:id', methods: ['GET', 'PUT'] });
    const path = file('w.json', aWorkflow({ nodes: [trigger, ...aWorkflow().nodes.slice(1)] }));
    const url = 'https://example.com/api/webhook/greeting/users/:id';
    expect((await call(`workflow put ${path}`)).out).toBe(`greeting: version 1\n  GET ${url}\n  PUT ${url}`);
  });

  test('creates a new version only for a changed file', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', aWorkflow());
    await call(`workflow put ${path}`);
    expect((await call(`workflow put ${path}`)).out).toContain('greeting: unchanged, version 1');
    file('w.json', aWorkflow({ name: 'New' }));
    expect((await call(`workflow put ${path}`)).out).toContain('greeting: version 2');
  });

  test('stores no $schema, so that naming one makes no new version', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', aWorkflow());
    await call(`workflow put ${path}`);
    file('w.json', { $schema: './workflow.schema.json', ...aWorkflow() });
    expect((await call(`workflow put ${path}`)).out).toContain('greeting: unchanged, version 1');
    file('w.json', { $schema: '../other.schema.json', ...aWorkflow({ name: 'New' }) });
    expect((await call(`workflow put ${path}`)).out).toContain('greeting: version 2');
    const { out } = await call('workflow get greeting');
    expect(JSON.parse(out)).toEqual(aWorkflow({ name: 'New' }));
  });

  test('passes over the schema beside workflows', async () => {
    const { call, file } = await openCommandLine();
    const path = file('flows/w.json', aWorkflow());
    const schema = file('flows/workflow.schema.json', { type: 'object' });
    const [put, permissions, validated, folder] = [
      await call(`workflow put ${path} ${schema}`),
      await call(`workflow permissions ${path} ${schema}`),
      await call(`workflow validate ${path} ${schema}`),
      await call(`workflow validate ${dirname(path)}`),
    ];
    expect(put).toMatchObject({ code: 0, out: expect.stringContaining('greeting: version 1') });
    expect(permissions).toMatchObject({ code: 0 });
    const valid = { code: 0, out: `${path}: greeting is valid` };
    expect([validated, folder]).toMatchObject([valid, valid]);
  });

  test('refuses a schema in the place of a workflow', async () => {
    const { call, file } = await openCommandLine();
    const schema = file('workflow.schema.json', { type: 'object' });
    expect(await call(`workflow put ${schema}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${schema}:1:1: / lacks the key "id"`),
    });
  });

  test('changes nothing if one of several files is invalid, and reports every problem with its place', async () => {
    const { call, file } = await openCommandLine();
    const good = file('good.json', aWorkflow());
    const trigger = aTrigger({ path: '/a//b', method: 'X' });
    const definition = aWorkflow({ id: 'bad', nodes: [trigger], connections: [] });
    const bad = file('bad.json', JSON.stringify(definition, null, 2));
    const { code, out, err } = await call(`workflow put ${good} ${bad}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${bad}:10:17: /nodes/0/parameters/path has an empty segment`);
    expect(err).toContain(`${bad}:11:19: /nodes/0/parameters/method must be one of`);
    expect(err).toMatch(/\nNothing was stored\.$/);
    expect((await call('workflow list')).err).toBe('There are no workflows.');
  });

  test('names the file and the line of a trigger that is refused, and stores none of the files', async () => {
    const { call, file } = await openCommandLine();
    const good = file('good.json', aWorkflow());
    const queue = { queue: 'arn:aws:sqs:eu-west-1:123456789012:orders' };
    const nodes = ['one', 'other'].map((id) => ({ id, type: 'queueTrigger', parameters: queue }));
    const text = JSON.stringify(aWorkflow({ id: 'taken', nodes, connections: [] }), null, 2);
    const taken = file('taken.json', text);
    const { code, out, err } = await call(`workflow put ${good} ${taken}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const line = text.slice(0, text.indexOf('"other"')).split('\n').length - 1;
    expect(err).toBe(
      [
        `${taken}:${line}:5: /nodes/1 trigger other can't be registered: trigger one of taken already uses it, and only one can`,
        'Nothing was stored.',
      ].join('\n'),
    );
    expect((await call('workflow list')).err).toBe('There are no workflows.');
  });

  test('refuses more workflows with metrics of their own than a stage may have', async () => {
    const { call, file } = await openCommandLine();
    const measured = (id: string) => file(`${id}.json`, aWorkflow({ id, settings: { metrics: true } }));
    const twenty = Array.from({ length: 20 }, (_, at) => measured(`w${at}`));
    expect(await call(`workflow put ${twenty.join(' ')}`)).toMatchObject({ code: 0, err: '' });
    expect(await call(`workflow put ${twenty[0]} ${file('plain.json', aWorkflow())}`)).toMatchObject({
      code: 0,
    });
    const { code, out, err } = await call(`workflow put ${measured('more')}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /\/settings\/metrics 21 workflows would have settings\.metrics; at most 20 may: w0, /,
    );
    await call(`workflow put ${file('w0.json', aWorkflow({ id: 'w0' }))}`);
    expect(await call(`workflow put ${measured('more')}`)).toMatchObject({ code: 0 });
  });

  test('reads standard input', async () => {
    const { call } = await openCommandLine();
    expect(await call('workflow put -', JSON.stringify(aWorkflow()))).toMatchObject({ code: 0 });
    expect(await call('workflow put -', '{')).toMatchObject({
      code: 1,
      err: 'stdin:1:2: is not JSON: close brace expected',
    });
  });

  test('warns of nodes that nothing starts, and still stores it', async () => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', aWorkflow({ nodes: [aTrigger({}, { disabled: true })], connections: [] }));
    const err = `${path}:1:1: warning: / has no enabled trigger: nothing starts it`;
    expect(await call(`workflow validate ${path}`)).toMatchObject({ code: 0, err });
    expect(await call(`workflow put ${path}`)).toEqual({ code: 0, out: 'greeting: version 1', err });
  });

  test('refuses two files with one id', async () => {
    const { call, file } = await openCommandLine();
    const [one, two] = [file('one.json', aWorkflow()), file('two.json', aWorkflow({ name: 'Copy' }))];
    const err = `${two}: /id "greeting" is already the id of ${one}: change one of them`;
    expect(await call(`workflow put ${one} ${two}`)).toEqual({ code: 1, out: '', err });
    expect((await call('workflow list')).err).toBe('There are no workflows.');
  });

  test('reports a missing file, and a folder without workflows', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    expect(await call('workflow put missing.json')).toEqual({
      code: 1,
      out: '',
      err: 'missing.json: no such file',
    });
    const folder = dirname(file('empty/notes.txt', ''));
    expect(await call(`workflow put ${folder}`)).toMatchObject({
      code: 1,
      err: `${folder}: contains no workflow files (*.json)`,
    });
  });

  test('refuses a missing credential', async () => {
    const { call, file } = await openCommandLine();
    const trigger = aTrigger({ authentication: 'apiKey' }, { credentialId: 'key' });
    const path = file('w.json', aWorkflow({ nodes: [trigger], connections: [] }));
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('/nodes/0/credentialId there is no credential "key"'),
    });
    expect((await call('workflow list')).err).toBe('There are no workflows.');
    await call('credential create key --type apiKey');
    expect(await call(`workflow put ${path}`)).toMatchObject({ code: 0, err: '' });
  });

  test('refuses a credential of a type that the trigger does not accept', async () => {
    const { call, file } = await openCommandLine();
    await call('credential create key --type apiKey');
    const trigger = aTrigger({ authentication: 'basic' }, { credentialId: 'key' });
    const path = file('w.json', aWorkflow({ nodes: [trigger], connections: [] }));
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        '/nodes/0/credentialId the credential "key" has the type apiKey, but the node accepts basic',
      ),
    });
  });

  test.each([
    ['signature', { scheme: 'github', credentialId: 'key' }],
    ['handshake', { scheme: 'meta', credentialId: 'key' }],
  ])('refuses a credential of the %s that is missing or has the wrong type', async (name, rule) => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', aWorkflow({ nodes: [aTrigger({ [name]: rule })], connections: [] }));
    const place = `/nodes/0/parameters/${name}/credentialId`;
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${place} there is no credential "key"`),
    });
    await call('credential create key --type apiKey');
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `${place} the credential "key" has the type apiKey, but the ${name} accepts signingSecret`,
      ),
    });
  });

  test.each([
    ['standardWebhooks', 'whsec_*not base64*', 'the secret is not base64'],
    ['discord', 'not-a-public-key', 'the secret is not a public key'],
    ['sendgrid', '{"secret":"{\\"kty\\":\\"canary-1"}', 'the secret is not a public key'],
  ])('refuses a secret with which %s cannot sign', async (scheme, secret, reason) => {
    const { call, file } = await openCommandLine();
    await call('credential create key --type signingSecret', secret);
    const signature = { scheme, credentialId: 'key' };
    const path = file('w.json', aWorkflow({ nodes: [aTrigger({ signature })], connections: [] }));
    expect(await call(`workflow put ${path}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `/nodes/0/parameters/signature/credentialId can't sign with "key": ${reason}`,
      ),
    });
    const usable = { scheme: 'github', credentialId: 'key' };
    const other = file('v.json', aWorkflow({ nodes: [aTrigger({ signature: usable })], connections: [] }));
    expect(await call(`workflow put ${other}`)).toMatchObject({ code: 0 });
  });

  test("warns of a sender's key that any caller could claim", async () => {
    const { call, file } = await openCommandLine();
    await call('credential create stripe-secret --type signingSecret', 'whsec_1234');
    const warningsFor = async (parameters: object, node: object = {}) => {
      const trigger = aTrigger({ deduplication: 'stripe', ...parameters }, node);
      const { code, err } = await call(
        `workflow put ${file('w.json', aWorkflow({ nodes: [trigger], connections: [] }))}`,
      );
      return { code, err };
    };
    const warning = expect.stringContaining(
      'warning: /nodes/0/parameters/deduplication any caller can forge a delivery key of stripe: set the parameter signature to the scheme stripe',
    );
    const signature = { scheme: 'stripe', credentialId: 'stripe-secret' };
    expect(await warningsFor({})).toEqual({ code: 0, err: warning });
    expect(await warningsFor({ signature: { ...signature, scheme: 'github' } })).toMatchObject({
      err: warning,
    });
    expect(await warningsFor({ signature })).toEqual({ code: 0, err: '' });
    expect(await warningsFor({ deduplication: 'body.id' })).toEqual({ code: 0, err: '' });
    await call('credential create key --type apiKey');
    const authenticated = await warningsFor({ authentication: 'apiKey' }, { credentialId: 'key' });
    expect(authenticated).toEqual({ code: 0, err: '' });
  });

  test('refuses a credential that its node would not use', async () => {
    const { call, file } = await openCommandLine();
    const node = {
      id: 'greet',
      type: 'set',
      parameters: { values: { greeted: true } },
      credentialId: 'key',
    };
    const path = file('w.json', aWorkflow({ nodes: [aTrigger(), node] }));
    expect(await call(`workflow put ${path}`)).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining(
        '/nodes/1/credentialId nodes of the type "set" don\'t use a credential: remove it',
      ),
    });
    expect((await call('workflow list')).err).toBe('There are no workflows.');
  });

  describe('of a workflow that runs another one', () => {
    const running = (workflowId: string) =>
      aWorkflow({ nodes: [aTrigger(), { id: 'greet', type: 'subworkflow', parameters: { workflowId } }] });
    const other = (changes: Partial<WorkflowDefinition> = {}) =>
      aWorkflow({
        id: 'shipping',
        nodes: [{ id: 'start', type: 'manualTrigger', parameters: {} }],
        connections: [],
        ...changes,
      });
    const warning = (message: string) =>
      expect.stringContaining(
        `warning: /nodes/1/parameters/workflowId the node fails until this is fixed: ${message}`,
      );

    test.each<[string, WorkflowDefinition, string, string]>([
      ['is not there', other(), 'shiping', 'there is no workflow "shiping" yet; did you mean "shipping"?'],
      ['is switched off', other({ enabled: false }), 'shipping', 'the workflow "shipping" is disabled'],
      [
        'has nothing to begin with',
        other({ nodes: [aTrigger()] }),
        'shipping',
        'to run as a subworkflow, "shipping" needs exactly one manualTrigger, got 0',
      ],
    ])('warns when that %s, and still stores it', async (_case, stored, workflowId, message) => {
      const { call, file } = await openCommandLine();
      await call(`workflow put ${file('other.json', stored)}`);
      expect(await call(`workflow put ${file('w.json', running(workflowId))}`)).toMatchObject({
        code: 0,
        err: warning(message),
      });
    });

    test('warns of a cycle through other workflows that are stored or put with it', async () => {
      const { call, file } = await openCommandLine();
      const start = { id: 'start', type: 'manualTrigger', parameters: {} };
      const flow = (id: string, workflowId: string) =>
        aWorkflow({
          id,
          nodes: [start, { id: 'run', type: 'subworkflow', parameters: { workflowId } }],
          connections: [{ sourceNodeId: 'start', targetNodeId: 'run' }],
        });
      await call(`workflow put ${file('b.json', flow('b', 'c'))} ${file('c.json', flow('c', 'a'))}`);
      expect(await call(`workflow put ${file('a.json', flow('a', 'b'))}`)).toMatchObject({
        code: 0,
        err: expect.stringContaining(
          'warning: /nodes/1/parameters/workflowId leads back to this workflow, a → b → c → a: unless a condition stops it, it fails after ten levels',
        ),
      });
    });

    test('does not warn if it exists, is put with it, or is known only in a run', async () => {
      const { call, file } = await openCommandLine();
      const path = file('w.json', running('shipping'));
      expect(await call(`workflow put ${path} ${file('other.json', other())}`)).toMatchObject({ err: '' });
      expect(await call(`workflow put ${path}`)).toMatchObject({ code: 0, err: '' });
      expect(await call(`workflow put ${file('e.json', running('{{ body.workflow }}'))}`)).toMatchObject({
        code: 0,
        err: '',
      });
    });
  });

  test('reports a concurrent change, and one of the two wins', async () => {
    const { call, file } = await openCommandLine();
    await call(`workflow put ${file('w.json', aWorkflow())}`);
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        call(`workflow put ${file(`${at}.json`, aWorkflow({ name: `N${at}` }))}`),
      ),
    );
    const lost = results.filter(({ code }) => code === 1);
    expect(lost.length).toBeLessThan(8);
    for (const { err } of lost)
      expect(err).toBe('Workflow greeting was changed in the meantime; read it again and retry.');
  });
});

test('the list marks workflows whose node types are not installed', async () => {
  const { call, file, stores } = await openCommandLine();
  await call(`workflow put ${file('w.json', aWorkflow())}`);
  const { workflows } = stores;
  const [trigger = aTrigger()] = aWorkflow().nodes;
  await workflows.put(
    aWorkflow({ id: 'old', nodes: [trigger, { id: 'tell', type: 'acmeChat', parameters: {} }] }),
    [],
  );
  expect(await call('workflow list')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nold +enabled/),
    err: "old: can't run: no installed plugin provides acmeChat",
  });
});

test('the list says what is silent, and since when', async () => {
  const { call, file, stores } = await openCommandLine();
  await call(`workflow put ${file('w.json', aWorkflow())}`);
  const message = 'Workflow "greeting", since 2026-11-29T02:00Z: fewer than 1 execution starts in 1 day.';
  const silence = { workflowId: 'greeting', triggerNodeId: null, rule: 'below', message } as const;
  await stores.standing.put({ silences: [{ ...silence, since: 0 }], expiries: [], historyReadAt: 0 });
  expect(await call('workflow list')).toMatchObject({ code: 0, err: `greeting: ${message}` });
});

test('a workflow that others name is not removed unless forced', async () => {
  const { call, file } = await openCommandLine();
  const entry = { id: 'start', type: 'manualTrigger', parameters: {} };
  await call(`workflow put ${file('w.json', aWorkflow({ nodes: [entry], connections: [] }))}`);
  const runs = { id: 'run', type: 'subworkflow', parameters: { workflowId: 'greeting' } };
  const waits = { id: 'failed', type: 'errorTrigger', parameters: { workflows: ['greeting'] } };
  const other = {
    id: 'other',
    enabled: false,
    nodes: [{ ...entry, id: 'by-hand' }, runs, waits],
    connections: [
      { sourceNodeId: 'by-hand', targetNodeId: 'run' },
      { sourceNodeId: 'failed', targetNodeId: 'run' },
    ],
  };
  const { code, err } = await call(`workflow put ${file('other.json', aWorkflow(other))}`);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(await call('workflow remove greeting')).toMatchObject({
    code: 1,
    err: expect.stringContaining('It is used by:\n  other: the node "run"\n  other: the node "failed"\n'),
  });
  expect(await call('workflow get greeting')).toMatchObject({ code: 0 });
  expect(await call('workflow remove greeting --force')).toMatchObject({ code: 0 });
});

describe('workflow validate', () => {
  test('reports on all files, and needs no store', async () => {
    const openTarget = () => {
      throw new Error('it asked for a store');
    };
    const { call, file } = await openCommandLine({ openTarget });
    const good = file('good.json', aWorkflow());
    const bad = file('bad.json', {});
    const { code, out, err } = await call(`workflow validate ${bad} ${good}`);
    expect(code).toBe(1);
    expect(out).toBe(`${good}: greeting is valid`);
    expect(err).toContain(`${bad}:1:1: / lacks the key "id"`);
    expect(await call(`workflow validate ${good}`)).toMatchObject({ code: 0 });
  });

  test('without files, says of all stored workflows what an upgrade would refuse or warn about', async () => {
    const { call, file, stores } = await openCommandLine();
    await call(`workflow put ${file('good.json', aWorkflow())}`);
    const ofEarlierRelease = (id: string, changes: object) =>
      stores.workflows.put({ ...aWorkflow(), id, enabled: false, ...changes }, []);
    await ofEarlierRelease('refused', { connections: [{ sourceNodeId: 'request', targetNodeId: 'gone' }] });
    await ofEarlierRelease('warned', { note: 'for another tool' });
    expect(await call('workflow validate')).toEqual({
      code: 1,
      out: '3 workflows checked, 1 with warnings',
      err: [
        'warned: warning: /note is a key that a workflow does not have: nothing reads it',
        'refused: /connections/0/targetNodeId there is no node "gone"',
      ].join('\n'),
    });
  });
});

describe('a schedule', () => {
  const scheduled = (parameters: object, changes: object = {}) =>
    JSON.stringify(
      aWorkflow({
        nodes: [{ id: 'clock', type: 'scheduleTrigger', parameters: { ...parameters } }],
        connections: [],
        ...changes,
      }),
    );
  const validate = async (parameters: object, changes: object = {}) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    return call('workflow validate -', scheduled(parameters, changes));
  };

  test('shows its next five times, in its time zone, across a change of the clocks', async () => {
    expect(await validate({ cron: '0 9 25,26 10,11,3 *', timeZone: 'Europe/Berlin' })).toEqual({
      code: 0,
      out: [
        '-: greeting is valid',
        '  clock fires at 2026-11-25T09:00:00+01:00',
        '  clock fires at 2026-11-26T09:00:00+01:00',
        '  clock fires at 2027-03-25T09:00:00+01:00',
        '  clock fires at 2027-03-26T09:00:00+01:00',
        '  clock fires at 2027-10-25T09:00:00+02:00',
      ].join('\n'),
      err: '',
    });
    expect((await validate({ at: '2027-01-31T09:00', timeZone: 'America/St_Johns' })).out).toContain(
      '  clock fires at 2027-01-31T09:00:00-03:30',
    );
  });

  test('shows its next time only, if more than ten files are put', async () => {
    const { call, file } = await openCommandLine();
    const files = Array.from({ length: 11 }, (_, at) =>
      file(`many/w${at}.json`, scheduled({ cron: '0 9 * * *' }, { id: `w${at}` })),
    );
    const times = async (count: number) => {
      const { out } = await call(['workflow', 'put', '--dry-run', ...files.slice(0, count)]);
      return out.split('\n').filter((line) => line.includes(' fires at ')).length;
    };
    expect(await times(10)).toBe(50);
    expect(await times(11)).toBe(11);
  });

  test('that never fires again gets a warning', async () => {
    expect(await validate({ at: '2020-01-31T09:00' })).toMatchObject({
      code: 0,
      err: 'greeting: clock never fires again',
    });
    expect((await validate({ cron: '0 0 30 2 *' })).err).toBe('greeting: clock never fires again');
  });

  test('of a disabled workflow has no next times', async () => {
    expect((await validate({ rate: '1 hour' }, { enabled: false })).out).toBe('-: greeting is valid');
  });
});

describe('a stored workflow', () => {
  test('can be read, in any version', async () => {
    const { call, file } = await openCommandLine();
    await call(`workflow put ${file('w.json', aWorkflow())}`);
    await call(`workflow put ${file('w.json', aWorkflow({ name: 'New' }))}`);
    expect(JSON.parse((await call('workflow get greeting')).out)).toEqual(aWorkflow({ name: 'New' }));
    expect(JSON.parse((await call('workflow get greeting --version 1')).out)).toEqual(aWorkflow());
    expect(await call('workflow get greeting --version 9')).toMatchObject({
      code: 1,
      err: 'Workflow greeting has no version 9.',
    });
    expect(JSON.parse((await call('workflow list --json')).out)).toMatchObject([
      { id: 'greeting', version: 2 },
    ]);
  });

  test('can be switched off and on, each a version of its own', async () => {
    const { call, file } = await openCommandLine();
    await call(`workflow put ${file('w.json', aWorkflow())}`);
    expect((await call('workflow disable greeting')).out).toBe('greeting: version 2');
    expect((await call('workflow disable greeting')).out).toBe('greeting: unchanged, version 2');
    expect((await call('workflow list')).out).toContain('disabled');
    expect((await call('workflow enable greeting')).out).toBe('greeting: version 3');
  });

  test('can be removed, and its versions can still be read', async () => {
    const { call, file } = await openCommandLine();
    await call(`workflow put ${file('w.json', aWorkflow())}`);
    expect(await call('workflow remove greeting')).toMatchObject({ code: 0 });
    expect(await call('workflow get greeting')).toMatchObject({
      code: 1,
      err: 'There is no workflow greeting.',
    });
    expect(await call('workflow get greeting --version 1')).toMatchObject({ code: 0 });
    expect(await call('workflow remove greeting')).toMatchObject({ code: 1 });
    expect(await call('workflow enable greeting')).toMatchObject({ code: 1 });
  });
});

describe('workflow validate', () => {
  test('checks every *.json below a folder, and reports duplicate ids', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const one = file('flows/one.json', aWorkflow());
    const two = file('flows/deep/two.json', aWorkflow());
    const bad = file('flows/bad.json', '{');
    file('flows/notes.txt', '{');
    file('flows/node_modules/other/package.json', '{');
    expect(await call(`workflow validate ${dirname(one)}`)).toEqual({
      code: 1,
      out: `${two}: greeting is valid\n${one}: greeting is valid`,
      err: [
        `${bad}:1:2: is not JSON: close brace expected`,
        `${one}: /id "greeting" is already the id of ${two}: change one of them`,
      ].join('\n'),
    });
  });

  test('says that a folder has no files', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const folder = dirname(file('empty/notes.txt', ''));
    expect(await call(`workflow validate ${folder}`)).toEqual({
      code: 1,
      out: '',
      err: `${folder}: contains no workflow files (*.json)`,
    });
  });

  test('reads a file that begins with a byte order mark', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('w.json', `\uFEFF${JSON.stringify(aWorkflow())}`);
    expect(await call(`workflow validate ${path}`)).toEqual({
      code: 0,
      out: `${path}: greeting is valid`,
      err: '',
    });
  });
});

test('a dry run reports the problems and warnings of all files with their places, and stores nothing', async () => {
  const { call, file } = await openCommandLine();
  const first = file('a.json', aWorkflow());
  const second = file(
    'b.json',
    aWorkflow({ id: 'second', nodes: aWorkflow().nodes.map((node) => ({ ...node, disabled: true })) }),
  );
  expect(await call(`workflow put --dry-run ${first} ${second}`)).toEqual({
    code: 0,
    out: 'greeting: can be stored\nsecond: can be stored',
    err: `${second}:1:1: warning: / has no enabled trigger: nothing starts it`,
  });
  file('b.json', '{}');
  expect(await call(`workflow put --dry-run ${first} ${second}`)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`${second}:1:1: / lacks the key "nodes"`),
  });
  expect((await call('workflow list')).err).toBe('There are no workflows.');
});

test('put --replaces shows what somebody else has changed since, and stores nothing then', async () => {
  const { call, file } = await openCommandLine();
  const path = file('w.json', aWorkflow());
  expect(await call(`workflow put ${path}`)).toMatchObject({ code: 0 });
  await call(`workflow put ${file('theirs.json', aWorkflow({ name: 'Theirs' }))} --replaces 1`);
  file('w.json', aWorkflow({ name: 'Mine' }));
  expect(await call(`workflow put ${path} --replaces 1`)).toEqual({
    code: 1,
    out: 'greeting: version 1 to 2\n  ~ /name: "Greeting" → "Theirs"',
    err: 'Version 2 was stored in the meantime, see above. Merge it into the file, and replace version 2. Nothing was stored.',
  });
  expect((await call(`workflow put ${path} --replaces 2`)).out).toContain('greeting: version 3');
  expect(await call(`workflow put ${path} ${path} --replaces 2`)).toMatchObject({ code: 1 });
});

test('history, difference and rollback of a workflow', async () => {
  const { call, file } = await openCommandLine();
  const path = file('w.json', aWorkflow());
  await call(['workflow', 'put', path, '--message', 'Begin with a greeting']);
  const greet = { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hi' } } };
  file('w.json', aWorkflow({ name: 'New', nodes: [aTrigger(), greet] }));
  await call(`workflow put ${path}`);
  expect((await call('workflow history greeting')).out).toMatch(
    /^VERSION +TIME +BY +MESSAGE\n2 +\S+Z +-\n1 +\S+Z +- +Begin with a greeting$/,
  );
  expect((await call('workflow diff greeting')).out).toMatch(
    /^greeting: version 1 to 2\n {2}~ \/name: "Greeting" → "New"\n {2}~ node greet \/parameters\/values\/greeting: ".+" → "Hi"$/,
  );
  expect((await call('workflow diff greeting --from 2 --to 2')).out).toBe(
    'greeting: version 2 to 2: no difference',
  );
  expect(await call('workflow rollback greeting 1')).toMatchObject({
    code: 0,
    out: expect.stringContaining('greeting: version 3'),
  });
  expect(await call('workflow rollback greeting 9')).toEqual({
    code: 1,
    out: '',
    err: 'Workflow greeting has no version 9.',
  });
  expect(JSON.parse((await call('workflow history greeting --json')).out)).toHaveLength(3);
});

test('more files than one request holds are all checked before the first is stored', async () => {
  const { call, file } = await openCommandLine();
  const many = Array.from({ length: 101 }, (_, at) => file(`many/w${at}.json`, aWorkflow({ id: `w${at}` })));
  const folder = dirname(many[0] ?? '');
  const bad = file('many/zz.json', aWorkflow({ id: 'zz', nodes: [] }));
  const refused = await call(`workflow put ${folder}`);
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`${bad}:`) });
  expect((await call('workflow list')).err).toBe('There are no workflows.');
  file('many/zz.json', aWorkflow({ id: 'zz' }));
  expect((await call(`workflow put ${folder}`)).code).toBe(0);
  expect((await call('workflow list')).out.split('\n')).toHaveLength(1 + 102);
});
