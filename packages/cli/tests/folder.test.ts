import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

/** A workflow whose nodes call with credentials, and read variables. */
const aUsingWorkflow = (
  credentials: readonly string[],
  variables: readonly string[] = [],
  changes: object = {},
) => {
  const calls = credentials.map((credentialId) => ({
    id: `call-${credentialId}`,
    type: 'httpRequest',
    credentialId,
    parameters: { url: 'https://b.example/' },
  }));
  const reads = variables.map((name) => ({
    id: `read-${name}`,
    type: 'set',
    parameters: { values: { read: `{{ $vars.${name} }}` } },
  }));
  const parameters = { path: '/in', authentication: 'apiKey' };
  const start = { id: 'in', type: 'webhookTrigger', credentialId: 'key', parameters };
  const nodes = [start, ...calls, ...reads];
  return {
    id: 'using',
    name: 'Using',
    nodes,
    connections: [...calls, ...reads].map(({ id }) => ({ sourceNodeId: 'in', targetNodeId: id })),
    ...changes,
  };
};

/** A folder with two workflows, both stored. */
const aFolder = async (columns: number | null = null) => {
  const commandLine = await openCommandLine({ columns });
  const { call, file } = commandLine;
  const folder = dirname(file('flows/greeting.json', aWorkflow()));
  file('flows/second.json', aWorkflow({ id: 'second' }));
  expect((await call(`deploy ${folder}`)).code).toBe(0);
  return { ...commandLine, folder };
};

test('deploying a folder again changes nothing, and nothing drifts', async () => {
  const { call, folder } = await aFolder();
  expect(await call(`deploy ${folder}`)).toEqual({ code: 0, out: 'Nothing differs.', err: '' });
  expect(await call(`drift ${folder}`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
  expect((await call('workflow history greeting --json')).out).toContain('"version": 1');
});

test('diff, drift and a dry run show what differs by node and parameter, and change nothing', async () => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  file('flows/third.json', aWorkflow({ id: 'third' }));
  rmSync(join(folder, 'greeting.json'));
  const changes = [
    '~ second changes',
    '  ~ /name: "Greeting" → "Renamed"',
    '+ third is new',
    '- greeting is not in the folder',
  ].join('\n');
  expect(await call(`diff ${folder}`)).toMatchObject({ code: 0, out: changes });
  expect(await call(`drift ${folder}`)).toMatchObject({ code: 1, out: changes });
  const { code, out, err } = await call(`deploy --prune --dry-run ${folder}`);
  expect({ code, out }).toEqual({ code: 0, out: `${changes}\nsecond: can be stored\nthird: can be stored` });
  expect(err).toBe('');
  expect((await call('workflow list')).out).toMatch(/\ngreeting .*\nsecond .* Greeting$/);
});

test('deploys with a message, and prunes only when asked to', async () => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  rmSync(join(folder, 'greeting.json'));
  const kept = await call(['deploy', folder, '--message', 'Rename the second']);
  expect(kept).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /\nNot in the folder, and kept without --prune: greeting\nsecond: version 2\n/,
    ),
    err: '',
  });
  expect((await call('workflow history second')).out).toMatch(/\n2 .*Rename the second\n1 /);
  const pruned = await call(`deploy ${folder} --prune`);
  expect(pruned).toMatchObject({ code: 0, out: expect.stringMatching(/\ngreeting: removed$/) });
  expect((await call('workflow list')).out).toMatch(/^ID .*\nsecond [^\n]*$/);
});

test.each([
  ['n', 1],
  ['yes', 0],
])('asks on a terminal: %s is exit code %d', async (answer, code) => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  const answered = await call(`deploy ${folder}`, [answer]);
  expect(answered).toMatchObject({ code, err: expect.stringContaining('Make this change? [y/N] ') });
  expect((await call('workflow list')).out.includes('Renamed')).toBe(code === 0);
});

test('stores nothing if one file can’t be stored, and says where its problem is', async () => {
  const { call, file, folder } = await aFolder();
  const bad = file('flows/bad.json', aWorkflow({ id: 'bad', nodes: [] }));
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  expect(await call(`deploy ${folder}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${bad}:1:`),
  });
  expect((await call('workflow list')).out).not.toContain('Renamed');
});

test('pull writes what differs, keeps names and $schema of files, and files that need no change', async () => {
  const { call, file, folder } = await aFolder();
  file('other/w.json', aWorkflow({ id: 'second', name: 'Of somebody else' }));
  await call(`workflow put ${join(dirname(folder), 'other')}`);
  await call(`workflow put ${file('third.json', aWorkflow({ id: 'third' }))}`);
  const renamed = { $schema: './workflow.schema.json', ...aWorkflow({ id: 'second' }) };
  rmSync(join(folder, 'second.json'));
  file('flows/sub/my-name.json', renamed);
  file('flows/local.json', aWorkflow({ id: 'local' }));
  const before = readFileSync(join(folder, 'greeting.json'), 'utf8');
  const { code, out, err } = await call(`pull ${folder}`);
  expect(code).toBe(0);
  expect(out).toBe(
    [
      `second: changed, ${folder}/sub/my-name.json`,
      '  ~ /name: "Greeting" → "Of somebody else"',
      `third: new, ${folder}/third.json`,
    ].join('\n'),
  );
  expect(err).toBe(`${folder}/local.json: the service has no workflow local`);
  expect(readFileSync(join(folder, 'greeting.json'), 'utf8')).toBe(before);
  const pulled = JSON.parse(readFileSync(join(folder, 'sub/my-name.json'), 'utf8'));
  expect(pulled).toMatchObject({ $schema: './workflow.schema.json', name: 'Of somebody else' });
  rmSync(join(folder, 'local.json'));
  expect(await call(`drift ${folder}`)).toMatchObject({ code: 0 });
});

test('pull writes nothing if a name is taken by the file of another workflow', async () => {
  const { call, file, folder } = await aFolder();
  rmSync(join(folder, 'greeting.json'));
  const taken = file('flows/greeting.json', aWorkflow({ id: 'other' }));
  const before = readFileSync(taken, 'utf8');
  const { code, err } = await call(`pull ${folder}`);
  expect([code, err]).toEqual([
    1,
    `${taken} holds the workflow other: rename it, so that greeting can be written there.`,
  ]);
  expect(readFileSync(taken, 'utf8')).toBe(before);
});

test('pull makes the folder, and what it writes is stable', async () => {
  const { call, folder } = await aFolder();
  const target = join(folder, '../pulled');
  expect(await call(`pull ${target}`)).toMatchObject({ code: 0 });
  expect(readdirSync(target).sort()).toEqual(['greeting.json', 'second.json']);
  const first = readFileSync(join(target, 'greeting.json'), 'utf8');
  expect(Object.keys(JSON.parse(first))).toEqual(['id', 'name', 'enabled', 'nodes', 'connections']);
  expect(await call(`pull ${target}`)).toEqual({ code: 0, out: '', err: '' });
  expect(await call(`drift ${target}`)).toMatchObject({ code: 0 });
});

// holds: no-edit-overwritten
test('a workflow that somebody changes between plan and deployment is not overwritten', async () => {
  const { call, file, folder, asked } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Mine' }));
  file('other/w.json', aWorkflow({ id: 'second', name: 'Theirs' }));
  const other = join(dirname(folder), 'other');
  const meanwhile = async () => {
    await call(`workflow put ${other}`);
    return 'y';
  };
  const answered = call(`deploy ${folder}`, [meanwhile]);
  expect(await answered).toMatchObject({
    code: 1,
    out: expect.stringMatching(/\nsecond: version 1 to 2\n {2}~ \/name: "Greeting" → "Theirs"$/),
    err: expect.stringMatching(
      /\nNot deployed: since the comparison, somebody else has changed second, see above/,
    ),
  });
  expect((await call('workflow list')).out).toContain('Theirs');
  expect(asked).toContain('PUT /api/admin/workflows');
});

test('of workflows that are removed or created between plan and deployment, none is stored', async () => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Mine' }));
  file('flows/third.json', aWorkflow({ id: 'third', name: 'Mine' }));
  const other = dirname(file('other/w.json', aWorkflow({ id: 'third', name: 'Theirs' })));
  const meanwhile = async () => {
    await call('workflow remove second');
    await call(`workflow put ${other}`);
    return 'y';
  };
  expect(await call(`deploy ${folder}`, [meanwhile])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/\nsecond: removed\nthird: version 1 is new$/),
    err: expect.stringContaining('has changed second, third, see above'),
  });
  const listed = (await call('workflow list')).out;
  expect([listed.includes('Theirs'), listed.includes('Mine')]).toEqual([true, false]);
});

test('a workflow that somebody changes between plan and deployment is not pruned', async () => {
  const { call, file, folder } = await aFolder();
  rmSync(join(folder, 'second.json'));
  const other = dirname(file('other/w.json', aWorkflow({ id: 'second', name: 'Theirs' })));
  const meanwhile = async () => {
    await call(`workflow put ${other}`);
    return 'y';
  };
  expect(await call(`deploy ${folder} --prune`, [meanwhile])).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /\nsecond was not removed: since the comparison, somebody else has changed it\./,
    ),
  });
  expect((await call('workflow list')).out).toContain('Theirs');
});

test('of many workflows that a folder lacks, a deployment without --prune names the first ten', async () => {
  const { call, file, folder } = await aFolder();
  const ids = Array.from({ length: 12 }, (_, at) => `w${String(at).padStart(2, '0')}`);
  const many = ids.map((id) => file(`many/${id}.json`, aWorkflow({ id })));
  expect((await call(`workflow put ${dirname(many[0] ?? '')}`)).code).toBe(0);
  const named = ids.slice(0, 10).join(', ');
  expect((await call(`deploy ${folder}`)).out).toBe(
    `Not in the folder, and kept without --prune: ${named} and 2 more`,
  );
  expect((await call(`deploy ${folder} --prune --dry-run`)).out.split('\n')).toHaveLength(12);
});

describe('a folder of the workflows with a tag', () => {
  /** Two teams' folders on one service. */
  const aTeamsFolder = async () => {
    const commandLine = await openCommandLine();
    const { call, file } = commandLine;
    const shop = dirname(file('shop/orders.json', aWorkflow({ id: 'orders', tags: ['shop', 'eu'] })));
    const desk = dirname(file('desk/tickets.json', aWorkflow({ id: 'tickets', tags: ['desk'] })));
    expect((await call(`deploy ${shop} --tag shop`)).code).toBe(0);
    expect((await call(`deploy ${desk} --tag desk --prune`)).code).toBe(0);
    return { ...commandLine, shop, desk };
  };

  test('is compared with those alone, and prunes no others', async () => {
    const { call, file, shop, desk } = await aTeamsFolder();
    expect(await call(`drift ${shop} --tag shop`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
    expect(await call(`drift ${desk} --tag desk`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
    file('shop/refunds.json', aWorkflow({ id: 'refunds', tags: ['shop'] }));
    rmSync(join(shop, 'orders.json'));
    const { out } = await call(`deploy ${shop} --tag shop --prune`);
    expect(out.split('\n')).toEqual([
      '+ refunds is new',
      '- orders is not in the folder',
      expect.stringMatching(/^refunds: version 1/),
      expect.stringMatching(/^ {2}POST /),
      'orders: removed',
    ]);
    expect((await call('workflow list')).out).toMatch(/\nrefunds .*\ntickets [^\n]*$/);
  });

  test('is filled with those alone', async () => {
    const { call, shop } = await aTeamsFolder();
    const { out } = await call(`pull ${join(shop, '../pulled')} --tag shop`);
    expect(out).toBe(`orders: new, ${join(shop, '../pulled/orders.json')}`);
  });

  test('takes no file without the tag', async () => {
    const { call, file, shop } = await aTeamsFolder();
    const path = file('shop/refunds.json', aWorkflow({ id: 'refunds' }));
    for (const command of ['deploy', 'diff', 'drift'])
      expect(await call(`${command} ${shop} --tag shop`)).toMatchObject({
        code: 1,
        err: expect.stringMatching(`^${path}:\\d+:\\d+: /tags lacks "shop"$`),
      });
  });
});

test('diff and drift print JSON, too', async () => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  file('flows/third.json', aWorkflow({ id: 'third' }));
  rmSync(join(folder, 'greeting.json'));
  const shown = await call(`diff ${folder} --json`);
  expect(JSON.parse(shown.out)).toMatchObject({
    new: ['third'],
    changed: [{ id: 'second', workflow: [{ path: '/name', from: 'Greeting', to: 'Renamed' }] }],
    notInFolder: ['greeting'],
    stage: [],
  });
  expect(await call(`drift ${folder} --json`)).toMatchObject({ code: 1, out: shown.out });
});

describe('of a long text', () => {
  const before = `${'a'.repeat(300)} old ${'b'.repeat(300)} ${'c'.repeat(30)}`;
  const after = before.replace('old', `new ${'x'.repeat(100)}`);

  /** A folder in which a text has changed. */
  const aChangedFolder = async (columns: number | null) => {
    const { call, file, folder } = await aFolder(columns);
    file('flows/second.json', aWorkflow({ id: 'second', description: before }));
    await call(`deploy ${folder}`);
    file('flows/second.json', aWorkflow({ id: 'second', description: after }));
    return { call, folder };
  };

  test('a pipe gets the whole part that differs', async () => {
    const { call, folder } = await aChangedFolder(null);
    const line = `  ~ /description: …${'a'.repeat(14)} old ${'b'.repeat(14)}… → …${'a'.repeat(14)} new ${'x'.repeat(100)} ${'b'.repeat(14)}…`;
    expect((await call(`diff ${folder}`)).out).toBe(`~ second changes\n${line}`);
    await call(`deploy ${folder}`);
    expect((await call('workflow diff second')).out).toBe(`second: version 2 to 3\n${line}`);
  });

  test('a terminal gets its beginning', async () => {
    const { call, folder } = await aChangedFolder(80);
    const { out } = await call(`diff ${folder}`);
    expect(out).toBe(
      `~ second changes\n  ~ /description: …${'a'.repeat(14)} old ${'b'.repeat(14)}… → …${'a'.repeat(14)} new ${'x'.repeat(39)}…`,
    );
  });
});

test('files without an id are all reported', async () => {
  const { call, file, folder } = await aFolder();
  const [list, none, odd] = [
    file('flows/a.json', '[1]'),
    file('flows/b.json', '{}'),
    file('flows/c.json', '{\n"id": 1 }'),
  ];
  expect(await call(`deploy ${folder}`)).toEqual({
    code: 1,
    out: '',
    err: [
      `${list}:1:1: / must be object`,
      `${none}:1:1: / lacks the key "id"`,
      `${odd}:2:7: /id must be string`,
    ].join('\n'),
  });
});

describe("credentials' names in a folder", () => {
  const FILE = 'credentials.stage.json';

  /** A folder and a service with credentials of both kinds, which are pulled. */
  const aPulledFolder = async () => {
    const commandLine = await aFolder();
    const { call, folder } = commandLine;
    await call('credential create key --type apiKey');
    await call('credential create crm --type httpBearer --host b.example --host a.example', 'the-token-1');
    await call('credential create unused --type apiKey');
    commandLine.file('flows/using.json', aUsingWorkflow(['crm']));
    expect(await call(`deploy ${folder}`)).toMatchObject({ code: 0 });
    const pulled = await call(`pull ${folder}`);
    return { ...commandLine, pulled, read: () => JSON.parse(readFileSync(join(folder, FILE), 'utf8')) };
  };

  test('are pulled by id, without secrets, and only once', async () => {
    const { call, folder, pulled, read } = await aPulledFolder();
    expect(pulled.out).toContain(`credential crm: new, ${join(folder, FILE)}`);
    expect(Object.entries(read())).toEqual([
      ['crm', { type: 'httpBearer', fields: {}, hosts: ['b.example', 'a.example'] }],
      ['key', { type: 'apiKey' }],
    ]);
    expect(await call(`pull ${folder}`)).toEqual({ code: 0, out: '', err: '' });
    expect(await call(`drift ${folder}`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
    expect(await call(`workflow put ${folder}`)).toMatchObject({ code: 0 });
  });

  test('that a service lacks are named with the command to run, and deployed by none', async () => {
    const { call, file, folder } = await aFolder();
    const fields = { username: "o'hara" };
    await call('credential create key --type apiKey');
    await call('credential create shop --type httpBearer --host b.example', 'the-token-1');
    file('flows/using.json', aUsingWorkflow(['shop']));
    await call(`deploy ${folder}`);
    await call('credential remove shop --force');
    await call('credential remove key --force');
    file(`flows/${FILE}`, { shop: { type: 'httpBasic', fields, hosts: ['*.shop.example'] } });
    const missing = {
      out: '! credential shop is missing (httpBasic)',
      err: `A deployment does not change this: credential create shop --type httpBasic --field 'username=o'\\''hara' --host '*.shop.example'\nUnchanged: 3`,
    };
    for (const command of ['deploy', 'diff'])
      expect(await call(`${command} ${folder}`)).toEqual({ code: 0, ...missing });
    expect(await call(`drift ${folder}`)).toMatchObject({ code: 1, out: missing.out });
    expect((await call('credential list')).err).toBe('There are no credentials.');
    expect((await call(`pull ${folder}`)).err).toContain('the service has no credential shop');
    rmSync(join(folder, 'using.json'));
    await call('workflow remove using');
    expect(await call(`drift ${folder}`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
  });

  test('are compared in what the folder states', async () => {
    const { call, file, folder, read } = await aPulledFolder();
    file(`flows/${FILE}`, { crm: { type: 'httpBearer' }, key: { type: 'apiKey' } });
    await call('credential hosts crm --host c.example', 'the-token-2');
    expect(await call(`drift ${folder}`)).toMatchObject({ code: 0 });
    await call(`pull ${folder}`);
    expect(read().crm).toEqual({ type: 'httpBearer' });
    file(`flows/${FILE}`, { crm: { type: 'httpBearer', hosts: ['d.example'] }, key: { type: 'basic' } });
    const { code, out, err } = await call(`drift ${folder}`);
    expect({ code, out }).toEqual({
      code: 1,
      out: '! credential crm differs: hosts c.example → d.example\n! credential key differs: type "apiKey" → "basic"',
    });
    expect(err).toContain('credential hosts crm --host d.example');
    expect(err).toContain('credential remove key --force, then credential create key --type basic');
    await call(`pull ${folder}`);
    expect(read()).toEqual({ crm: { type: 'httpBearer', hosts: ['c.example'] }, key: { type: 'apiKey' } });
  });

  test.each([
    ['[]', ':1:1: / must be an object'],
    ['{', 'is not JSON'],
    ['{\n "crm": { "type": 1 } }', ':2:19: /crm/type must be text'],
    ['{ "crm": { "type": "httpBearer", "secrets": {} } }', '/crm/secrets'],
    ['{ "a b": { "type": "apiKey" } }', "/a b can't name a credential"],
  ])('in the file %j are refused with the place', async (content, message) => {
    const { call, file, folder } = await aFolder();
    file(`flows/${FILE}`, content);
    expect(await call(`diff ${folder}`)).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  });
});

describe("variables' names in a folder", () => {
  const FILE = 'variables.stage.json';

  test.each([
    ['{ "limit": 5 }', ':1:12: /limit must be an object'],
    ['{ "limit": {} }', ':1:12: /limit/type is missing'],
    ['{ "limit": { "type": "int" } }', ':1:22: /limit/type must be one of string, number, boolean, json'],
    [
      '{ "limit": { "type": "json", "value": 5 } }',
      ':1:39: /limit/value is no key of an entry: type, description',
    ],
  ])('in the file %j are refused with the place', async (content, message) => {
    const { call, file, folder } = await aFolder();
    const path = file(`flows/${FILE}`, content);
    expect(await call(`diff ${folder}`)).toMatchObject({ code: 1, err: `${path}${message}` });
  });

  test('are pulled with types and descriptions, without values, and compared', async () => {
    const { call, file, folder } = await aFolder();
    await call(['variable', 'set', 'bucket', 'invoices-dev', '--description', "The accountants' files"]);
    await call('variable set limit 5 --type number');
    await call('variable set unused 5 --type number');
    await call('credential create key --type apiKey');
    file('flows/using.json', aUsingWorkflow([], ['bucket', 'limit']));
    expect(await call(`deploy ${folder}`)).toMatchObject({ code: 0 });
    const pulled = await call(`pull ${folder}`);
    expect(pulled.out.split('\n').slice(1)).toEqual([
      `variable bucket: new, ${folder}/${FILE}`,
      `variable limit: new, ${folder}/${FILE}`,
    ]);
    const text = readFileSync(join(folder, FILE), 'utf8');
    expect(text).toBe(
      `${JSON.stringify(
        {
          bucket: { type: 'string', description: "The accountants' files" },
          limit: { type: 'number', description: null },
        },
        null,
        2,
      )}\n`,
    );
    await call('variable set bucket invoices-prod');
    expect(await call(`drift ${folder}`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
    expect(await call(`pull ${folder}`)).toEqual({ code: 0, out: '', err: '' });

    await call('variable remove bucket --force');
    await call('variable set limit many --type string');
    const drifted = await call(`drift ${folder}`);
    expect(drifted).toMatchObject({
      code: 1,
      out: [
        '! variable bucket is missing (string)',
        '! variable limit differs: type "string" → "number"',
      ].join('\n'),
    });
    expect(drifted.err).toContain(
      "variable set bucket VALUE --type string --description 'The accountants'\\'' files'\n",
    );
    expect(drifted.err).toContain('variable set limit VALUE --type number\n');
  });

  test.each([
    ['{ "limit": { "type": "integer" } }', ':1:22: /limit/type must be one of string, number, boolean, json'],
    ['{ "1st": { "type": "string" } }', "/1st can't name a variable"],
    ['{ "limit": { "type": "number", "value": 5 } }', '/limit/value'],
  ])('%s is refused with its place', async (text, said) => {
    const { call, file, folder } = await aFolder();
    file(`flows/${FILE}`, text);
    expect(await call(`diff ${folder}`)).toMatchObject({ code: 1, err: expect.stringContaining(said) });
  });

  test('a folder is deployed to two stages whose variables differ', async () => {
    const reading = {
      ...aWorkflow({ id: 'reading' }),
      nodes: [
        { id: 'in', type: 'webhookTrigger', parameters: { path: '/in' } },
        { id: 'out', type: 'set', parameters: { values: { bucket: '{{ $vars.bucket }}' } } },
      ],
      connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
    };
    const [dev, production] = [await aFolder(), await openCommandLine()];
    const path = dev.file('flows/reading.json', reading);
    expect(await dev.call(`deploy ${dev.folder}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${path}:`),
    });
    await dev.call('variable set bucket dev');
    await production.call('variable set bucket production');
    for (const { call } of [dev, production]) expect((await call(`deploy ${dev.folder}`)).code).toBe(0);
    expect(await production.call(`drift ${dev.folder}`)).toMatchObject({ code: 0 });
  });
});
