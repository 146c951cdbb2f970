import { describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

const calling = (type: string, parameters: object, credentialId = 'crm') =>
  aWorkflow({
    nodes: [aTrigger(), { id: 'call', type, credentialId, parameters: { ...parameters } }],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'call' }],
  });

const IN_HOST = [
  ['httpRequest', 'url', '{{ body.url }}', {}],
  ['httpRequest', 'url', 'https://{{ body.host }}/orders', {}],
  ['httpRequest', 'url', 'https://api.example.com{{ $rawUrl(body.path) }}', {}],
  ['httpRequest', 'url', 'https://api.example.com:{{ body.port }}/', {}],
  ['graphql', 'url', 'http{{ body.rest }}', { query: '{ a }' }],
  ['rss', 'url', 'https://{{ body.name }}.example.com', {}],
  ['llm', 'baseUrl', '{{ body.gateway }}', { provider: 'openai', model: 'm', prompt: 'p' }],
] as const;

const NOT_IN_HOST = [
  ['httpRequest', 'https://api.example.com/{{ body.id }}'],
  ['httpRequest', 'https://api.example.com?id={{ body.id }}'],
  ['httpRequest', 'https://api.example.com/orders'],
  ['httpRequest', 'https://api.example.com'],
] as const;

describe('an expression in the host of a URL with a credential', () => {
  test.each(IN_HOST)('of %s, %s %s, gets a warning with its place', async (type, name, url, rest) => {
    const { call, file } = await openCommandLine();
    const path = file('w.json', calling(type, { [name]: url, ...rest }));
    const place = `/nodes/1/parameters/${name} has an expression in its host`;
    expect(await call(`workflow validate ${path}`)).toMatchObject({
      code: 0,
      err: expect.stringContaining(
        `${place}: the credential "crm" must name its allowed hosts, or it is sent wherever the expression leads`,
      ),
    });
    await call('credential create crm --type httpBearer --host *', 'the-token-1');
    expect((await call(`workflow put ${path}`)).err).toContain(
      `${place}, and the credential "crm" is for any host: whoever controls the value receives the secret. Name its hosts: credential hosts crm --host NAME`,
    );
    await call('credential hosts crm --host api.example.com');
    const put = await call(`workflow put ${path}`);
    expect(put.code).toBe(0);
    expect(put.err).not.toContain('in its host');
  });

  test('gets none in a node without a credential', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const { nodes, ...rest } = calling('httpRequest', { url: '{{ body.url }}' });
    const bare = nodes.map(({ credentialId: _, ...node }) => node);
    const { err } = await call(`workflow validate ${file('w.json', { ...rest, nodes: bare })}`);
    expect(err).not.toContain('in its host');
  });

  test('gets one for a credential that was created without hosts', async () => {
    const { call, file, stores } = await openCommandLine();
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    const known = await stores.outbound.store.find('crm');
    if (known !== null) await stores.outbound.store.put({ ...known, hosts: null, revision: 2 });
    const path = file('w.json', calling('httpRequest', { url: '{{ body.url }}' }));
    expect((await call(`workflow put ${path}`)).err).toContain('the credential "crm" is for any host');
  });
});

describe('a URL with a literal host', () => {
  test.each(NOT_IN_HOST)('of %s, %s, gets no warning where its credential is for it', async (type, url) => {
    const { call, file } = await openCommandLine();
    await call('credential create crm --type httpBearer --host *.example.com', 'the-token-1');
    const path = file('w.json', calling(type, { url }));
    expect((await call(`workflow validate ${path}`)).err).not.toContain('warning');
    expect(await call(`workflow put ${path}`)).toMatchObject({ code: 0, err: '' });
  });

  test.each(NOT_IN_HOST)(
    'of %s, %s, gets a warning where its credential is for other hosts',
    async (type, url) => {
      const { call, file } = await openCommandLine();
      await call(
        'credential create crm --type httpBearer --host a.example --host b.example:8443',
        'the-token-1',
      );
      expect(await call(`workflow put ${file('w.json', calling(type, { url }))}`)).toMatchObject({
        code: 0,
        err: expect.stringContaining(
          '/nodes/1/parameters/url the node fails until this is fixed: the credential "crm" is for "a.example", "b.example:8443", not for "api.example.com"',
        ),
      });
    },
  );

  test('counts as the default of the parameter, but not in a parameter that is only a link', async () => {
    const { call, file } = await openCommandLine();
    await call('credential create crm --type httpBearer --host api.github.com', 'the-token-1');
    const slack = file('w.json', calling('slackMessage', { channel: 'C0123456789', text: 'a' }));
    expect((await call(`workflow put ${slack}`)).err).toContain('not for "slack.com"');
    const status = {
      repository: 'a/b',
      sha: 'a'.repeat(40),
      state: 'success',
      targetUrl: 'https://ci.example/',
    };
    const github = file('w.json', calling('githubCommitStatus', status));
    expect(await call(`workflow put ${github}`)).toMatchObject({ code: 0, err: '' });
  });
});
