import { dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

const withNode = (node: WorkflowDefinition['nodes'][number]) =>
  aWorkflow({
    nodes: [aTrigger(), node],
    connections: [{ sourceNodeId: 'request', targetNodeId: node.id }],
  });

const running = (workflowId: string) =>
  withNode({ id: 'run', type: 'subworkflow', parameters: { workflowId } });

const entry = { id: 'start', type: 'manualTrigger', parameters: {} };

const shipping = (changes: Partial<WorkflowDefinition> = {}) =>
  aWorkflow({ id: 'shipping', nodes: [entry], connections: [], ...changes });

const calling = (url: string, credentialId = 'crm') =>
  withNode({ id: 'call', type: 'httpRequest', credentialId, parameters: { url } });

describe('workflow validate, with other workflows beside a file', () => {
  const place = '/nodes/1/parameters/workflowId';
  test.each<[string, WorkflowDefinition, string, string]>([
    [
      'has another name',
      shipping(),
      'shiping',
      `${place} no file beside it has the workflow "shiping"; did you mean "shipping"?`,
    ],
    [
      'is switched off',
      shipping({ enabled: false }),
      'shipping',
      `${place} the node fails until this is fixed: the workflow "shipping" is disabled`,
    ],
    [
      'has nothing to begin with',
      shipping({ nodes: [aTrigger()] }),
      'shipping',
      `${place} the node fails until this is fixed: to run as a subworkflow, "shipping" needs exactly one manualTrigger, got 0`,
    ],
    [
      'leads back',
      shipping({
        nodes: [entry, ...running('greeting').nodes.slice(1)],
        connections: [{ sourceNodeId: 'start', targetNodeId: 'run' }],
      }),
      'shipping',
      `${place} leads back to this workflow, greeting → shipping → greeting: unless a condition stops it, it fails after ten levels`,
    ],
  ])('warns when the workflow that a node runs %s', async (_case, other, workflowId, message) => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/w.json', running(workflowId));
    file('flows/other.json', other);
    for (const named of [path, dirname(path)])
      expect(await call(`workflow validate ${named}`)).toMatchObject({
        code: 0,
        err: expect.stringContaining(`warning: ${message}`),
      });
  });

  test('prints findings as JSON, with places, proposals and types', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const show = {
      id: 'show',
      type: 'set',
      parameters: { values: { x: '{{ $uppercase($execution.workflowVersion) }}' } },
    };
    const path = file('flows/w.json', JSON.stringify({ ...withNode(show), enabled: 'yes' }, null, 2));
    const other = file('flows/other.json', '{');
    const { code, out } = await call(`workflow validate --json ${path} ${other}`);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      valid: false,
      files: [
        {
          file: path,
          id: null,
          valid: false,
          findings: [
            {
              severity: 'error',
              pointer: '/enabled',
              line: expect.any(Number),
              column: 14,
              message: 'must be boolean (Whether its triggers start it; true by default)',
            },
            {
              severity: 'warning',
              pointer: '/nodes/1/parameters/values/x',
              line: expect.any(Number),
              column: expect.any(Number),
              message: expect.stringContaining(
                '$uppercase() takes a string, but $execution.workflowVersion is a number',
              ),
              types: { accepted: ['string'], found: ['number'] },
              proposal: [
                {
                  op: 'replace',
                  path: '/nodes/1/parameters/values/x',
                  value: '{{ $uppercase($string($execution.workflowVersion)) }}',
                },
              ],
            },
          ],
        },
        {
          file: other,
          id: null,
          valid: false,
          findings: [{ severity: 'error', pointer: '', message: expect.stringContaining('is not JSON') }],
        },
      ],
      problems: [],
    });
  });

  test('knows what the workflow delivers that a node runs', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const label = { id: 'label', type: 'set', parameters: { values: { label: 'A-1' } } };
    file(
      'flows/shipping.json',
      shipping({
        nodes: [entry, label],
        connections: [{ sourceNodeId: 'start', targetNodeId: 'label' }],
      }),
    );
    const { nodes, connections, ...caller } = running('shipping');
    const show = { id: 'show', type: 'set', parameters: { values: { shown: '{{ lable }}' } } };
    const path = file('flows/w.json', {
      ...caller,
      nodes: [...nodes, show],
      connections: [...connections, { sourceNodeId: 'run', targetNodeId: 'show' }],
    });
    const { err } = await call(`workflow validate ${path}`);
    expect(err).toContain('the input has no "lable", but "label"; did you mean "label"?');
  });

  test('passes what is there, and names what only a service can have', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/w.json', running('shipping'));
    file('flows/broken.json', '{');
    expect(await call(`workflow validate ${path}`)).toEqual({
      code: 0,
      out: `${path}: greeting is valid`,
      err: 'Not checked without a service: workflow shipping',
    });
    file('flows/other.json', shipping());
    expect(await call(`workflow validate ${path}`)).toMatchObject({ code: 0, err: '' });
    expect(await call('workflow validate -', JSON.stringify(running('shipping')))).toMatchObject({
      err: 'Not checked without a service: workflow shipping',
    });
  });

  test('refuses a trigger that needs a queue of a trigger in another file', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const queue = { queue: 'arn:aws:sqs:eu-west-1:123456789012:orders' };
    const reading = (id: string) =>
      shipping({ id, nodes: [{ id: 'orders', type: 'queueTrigger', parameters: queue }] });
    const [one, other] = [file('flows/a.json', reading('a')), file('flows/b.json', reading('b'))];
    expect(await call(`workflow validate ${one} ${other}`)).toMatchObject({
      code: 1,
      out: `${one}: a is valid`,
      err: expect.stringContaining(
        `${other}:1:53: /nodes/0 can't be registered: trigger orders of a already uses it, and only one can`,
      ),
    });
    file('flows/b.json', { ...reading('b'), enabled: false });
    expect(await call(`workflow validate ${one} ${other}`)).toMatchObject({ code: 0 });
  });

  test('refuses an id that is reserved, and more workflows with metrics than a stage may have', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const probe = file('flows/probe.json', aWorkflow({ id: 'hookloom-doctor-x' }));
    expect(await call(`workflow validate ${probe}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('/id must not begin with hookloom-doctor-'),
    });
    const measured = Array.from({ length: 21 }, (_, at) =>
      file(`measured/w${at}.json`, aWorkflow({ id: `w${at}`, settings: { metrics: true } })),
    );
    expect(await call(`workflow validate ${dirname(measured[0] ?? '')}`)).toMatchObject({
      code: 1,
      err: '21 workflows would have settings.metrics; at most 20 may',
    });
  });
});

describe('workflow validate, with what the folder states of credentials and variables', () => {
  const CRM = { crm: { type: 'httpBearer', fields: {}, hosts: ['crm.example.com'] } };

  test('refuses a credential of a type that the node does not accept', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/w.json', calling('https://crm.example.com/'));
    file('flows/credentials.stage.json', { crm: { type: 'apiKey' } });
    expect(await call(`workflow validate ${path}`)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /\/nodes\/1\/credentialId the credential "crm" has the type apiKey, but the node accepts /,
      ),
    });
  });

  test.each([
    [
      'a URL that the credential is not for',
      calling('https://api.example.com/'),
      '/nodes/1/parameters/url the node fails until this is fixed: the credential "crm" is for "crm.example.com", not for "api.example.com"',
    ],
    [
      'a credential with a name that is near',
      calling('https://crm.example.com/', 'crn'),
      '/nodes/1/credentialId no file beside it has the credential "crn"; did you mean "crm"?',
    ],
    [
      'a variable with a name that is near',
      withNode({ id: 'set', type: 'set', parameters: { values: { at: '{{ $vars.regoin }}' } } }),
      '/nodes/1/parameters no file beside it has the variable "regoin"; did you mean "region"?',
    ],
  ])('warns of %s', async (_case, definition, message) => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/w.json', definition);
    file('flows/credentials.stage.json', CRM);
    file('flows/variables.stage.json', { region: { type: 'string' } });
    for (const named of [path, dirname(path)])
      expect(await call(`workflow validate ${named}`)).toMatchObject({
        code: 0,
        err: expect.stringContaining(`warning: ${message}`),
      });
  });

  test('does not warn of an expression in the host of a URL when the credential states its hosts', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/w.json', calling('https://{{ body.name }}.example.com/'));
    expect((await call(`workflow validate ${path}`)).err).toContain('has an expression in its host');
    file('flows/credentials.stage.json', CRM);
    expect(await call(`workflow validate ${path}`)).toMatchObject({ code: 0, err: '' });
  });

  test('says which names and values only a service has', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/a.json', calling('https://crm.example.com/{{ $vars.area }}', 'shop'));
    const nodes = [{ id: 'orders', type: 'queueTrigger', parameters: { queue: '{{ $vars.queue }}' } }];
    file('flows/b.json', shipping({ nodes }));
    file('flows/variables.stage.json', { queue: { type: 'string' } });
    expect(await call(`workflow validate ${dirname(path)}`)).toMatchObject({
      code: 0,
      err: [
        'Not checked without a service: credential shop',
        'Not checked without a service: variable area',
        'Not checked without a service: value of the variable queue',
      ].join('\n'),
    });
  });

  test('names the place of a mistake in what the folder states', async () => {
    const { call, file } = await openCommandLine({ hasDatabase: false });
    const path = file('flows/w.json', aWorkflow());
    const stated = file('flows/credentials.stage.json', { crm: {} });
    expect(await call(`workflow validate ${dirname(path)}`)).toMatchObject({
      code: 1,
      err: `${stated}:1:8: /crm/type is missing`,
    });
  });
});
