import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import aws4 from 'aws4';
import { resolveTemplate, startDoor } from 'lambda-stage/door';
import { createRouter } from 'lambda-stage/gateway';
import { parse } from 'yaml';
import { routes } from '../../lib/app/describe-api.ts';
import { refusedPlace } from '../../lib/webhooks/requests/request-record.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { fillPlaces, findDifferences } from '../../scripts/cost/places.ts';
import { deployerActions } from '../../scripts/policy/deployer-statements.ts';
import { printPolicy, toPolicies } from '../../scripts/policy/policies.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { aRequestRecord } from '../support/a-request-record.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { serviceFile } from '../support/function-environment.ts';
import { projectRoot } from '../support/run-command.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

const aCommandLine = useCommandLine();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const { reader, author, operator, deployer, deployerData, deployerRoles, ownKey } = toPolicies(
  read('serverless.yml'),
);

test.each([
  [
    'docs/deploying.md',
    {
      'reader-policy': reader,
      'author-policy': author,
      'operator-policy': operator,
      'deployer-policy': deployer,
      'deployerData-policy': deployerData,
      'deployerRoles-policy': deployerRoles,
      'ownKey-policy': ownKey,
    },
  ],
])('%s has the policies of serverless.yml: `npm run docs:policy` writes them', (path, policies) => {
  const page = read(path);
  const texts = Object.entries(policies).map(([name, policy]) => [name, printPolicy(policy)]);
  expect(findDifferences(page, fillPlaces(page, Object.fromEntries(texts)))).toEqual([]);
});

test.each([
  ['reader', reader],
  ['author', author],
  ['operator', operator],
  ['deployer', deployer],
  ['deployer’s data', deployerData],
  ['deployer’s roles and logs', deployerRoles],
])('the policy for the %s names only the stage, nothing of a template', (_, policy) => {
  expect(JSON.stringify(policy)).not.toMatch(/\$\{|undefined|null/);
});

test('a deployer may create each resource type of serverless.yml, only for this stage', () => {
  const { Resources } = parse(read('serverless.yml'), { merge: true, logLevel: 'silent' }).resources;
  const types = new Set(Object.values<{ Type: string }>(Resources).map(({ Type }) => Type));
  expect([...types].filter((type) => !Object.hasOwn(deployerActions, type))).toEqual([]);
  const statements = [deployer, deployerData, deployerRoles].flatMap(({ Statement }) => Statement);
  const mappings = statements.filter(({ Action }) => [Action].flat().includes('lambda:*EventSourceMapping'));
  expect(mappings.map(({ Condition }) => Condition)).toEqual([
    {
      ArnLike: {
        'lambda:FunctionArn': ['sweep', 'aggregate', 'exportTraces'].map(
          (key) => `arn:aws:lambda:REGION:ACCOUNT:function:hookloom-STAGE-${key}`,
        ),
      },
    },
  ]);
  const everywhere = statements.filter(
    ({ Resource, Condition }) => Resource === '*' && Condition === undefined,
  );
  expect(
    everywhere
      .flatMap(({ Action }) => Action)
      .map((action) => action.replace(/:.*LogDelivery$|:.*LogDeliveries$/, ':…')),
  ).toEqual([
    'cloudformation:DescribeStackDriftDetectionStatus',
    'cloudformation:ValidateTemplate',
    'lambda:ListTags',
    'lambda:TagResource',
    ...Array(8).fill(
      expect.stringMatching(/^logs:(…|DescribeLogGroups|DescribeResourcePolicies|PutResourcePolicy)$/),
    ),
  ]);
  const others = statements.filter((one) => !everywhere.includes(one) && !mappings.includes(one));
  for (const { Resource } of others)
    for (const arn of [Resource].flat())
      expect(arn).toMatch(
        /hookloom-STAGE|^arn:aws:apigateway:REGION::|:role\/aws-service-role\/ops\.apigateway\./,
      );
});

/** Values for placeholders; the longest that AWS and the names of a stage's resources allow. */
const longest = {
  STAGE: 's'.repeat(30),
  REGION: 'ap-southeast-1',
  ACCOUNT: '123456789012',
  API_ID: 'a1b2c3d4e5',
};

const fill = (policy: object, values: Readonly<Record<string, string>>) =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(name, value),
    JSON.stringify(policy),
  );

test.each(Object.entries({ reader, author, operator, deployer, deployerData, deployerRoles }))(
  'the policy %s is within what IAM allows for a managed policy',
  (_, policy) => {
    expect(fill(policy, longest).replaceAll(/\s/g, '').length).toBeLessThanOrEqual(6_144);
  },
);

describe('deployers with all three policies', () => {
  const place = { account: '123456789012', region: 'eu-central-1', stackName: 'hookloom-production' };
  const values = { STAGE: 'production', REGION: place.region, ACCOUNT: place.account };
  const linked = `arn:aws:iam::${place.account}:role/aws-service-role`;
  const arn = (service: string, rest: string) =>
    `arn:aws:${service}:${place.region}:${place.account}:${rest}`;

  const mayDo = async (action: string, resource: string, context: Readonly<Record<string, string>>) => {
    const door = await startDoor({
      template: resolveTemplate({ Resources: { HttpApi: { Type: 'AWS::ApiGatewayV2::Api' } } }, place),
      backends: { dynamodb: 'http://127.0.0.1:9', lambda: 'http://127.0.0.1:9' },
      users: {
        deployer: [deployer, deployerData, deployerRoles].map((one) => JSON.parse(fill(one, values))),
      },
    });
    cleanups.push(() => door.stop());
    const principal = `arn:aws:iam::${place.account}:user/deployer`;
    return (await door.authorize({ principal, action, resource, context })).allowed;
  };

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['cloudformation:DetectStackDrift', arn('cloudformation', 'stack/hookloom-production/1'), {}],
    ['cloudformation:DescribeStackResourceDrifts', arn('cloudformation', 'stack/hookloom-production/1'), {}],
    ['cloudformation:DescribeStackDriftDetectionStatus', '*', {}],
    ['scheduler:DeleteSchedule', arn('scheduler', 'schedule/hookloom-production/a'), {}],
    [
      'iam:ListEntitiesForPolicy',
      `arn:aws:iam::${place.account}:policy/hookloom-production-WorkflowBoundary-A1`,
      {},
    ],
    [
      'iam:CreateServiceLinkedRole',
      `${linked}/ops.apigateway.amazonaws.com/AWSServiceRoleForAPIGateway`,
      { 'iam:AWSServiceName': 'ops.apigateway.amazonaws.com' },
    ],
    [
      'events:PutTargets',
      arn('events', 'rule/hookloom-production-SweepEventsRuleSchedule1-A1'),
      { 'events:TargetArn': arn('lambda', 'function:hookloom-production-sweep') },
    ],
  ])('may call %s on %s', async (action, resource, context) => {
    expect(await mayDo(action, resource, context)).toBe(true);
  });

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['cloudformation:DetectStackDrift', arn('cloudformation', 'stack/other/1'), {}],
    ['scheduler:DeleteSchedule', arn('scheduler', 'schedule/hookloom-production-eu/a'), {}],
    ['iam:ListEntitiesForPolicy', `arn:aws:iam::${place.account}:policy/other`, {}],
    [
      'iam:CreateServiceLinkedRole',
      `${linked}/lambda.amazonaws.com/AWSServiceRoleForLambda`,
      { 'iam:AWSServiceName': 'lambda.amazonaws.com' },
    ],
    [
      'events:PutTargets',
      arn('events', 'rule/hookloom-production-SweepEventsRuleSchedule1-A1'),
      { 'events:TargetArn': arn('lambda', 'function:hookloom-production-eu-sweep') },
    ],
    ['events:PutTargets', arn('events', 'rule/hookloom-production-SweepEventsRuleSchedule1-A1'), {}],
  ])('may not call %s on %s', async (action, resource, context) => {
    expect(await mayDo(action, resource, context)).toBe(false);
  });

  // The data of the simulator lacks the resources of API Gateway.
  test.each([
    ['POST', '/apis', [undefined]],
    ['PATCH', '/apis/a1b2c3d4e5/routes/abc', [undefined]],
    ...['GET', 'PATCH', 'DELETE'].map(
      (method) =>
        [method, '/apis/a1b2c3d4e5', [{ StringEquals: { 'aws:ResourceTag/stage': 'production' } }]] as const,
    ),
  ])('may %s %s of API Gateway, an API itself only with the tag of the stage', (method, path, conditions) => {
    const { Statement }: typeof deployer = JSON.parse(fill(deployer, values));
    const matching = Statement.filter(
      ({ Action, Resource }) =>
        Action.includes(`apigateway:${method}`) &&
        [Resource].flat().some((pattern) => {
          const [, ofPath = ''] = String(pattern).split('::');
          const expression = ofPath.replaceAll('?', '.').replaceAll('*', '.*');
          return new RegExp(`^${expression}$`).test(path);
        }),
    );
    expect(matching.map(({ Condition }) => Condition)).toEqual(conditions);
  });
});

const everything = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };

/** Spellings of a path that some reader of paths takes for the same. */
const spell = (path: string): readonly string[] => {
  const [, folder = '', last = ''] = /^(.*)\/(.*)$/.exec(path) ?? [];
  const letters = [...last].map((letter, at) => {
    const hex = letter.charCodeAt(0).toString(16);
    return `${folder}/${last.slice(0, at)}%${at % 2 === 0 ? hex : hex.toUpperCase()}${last.slice(at + 1)}`;
  });
  const encoded = `%${last.charCodeAt(0).toString(16)}${last.slice(1)}`;
  return [
    path,
    ...letters,
    path.replace('/api', '/%61pi'),
    `${folder}//${last}`,
    `/${path}`,
    `${folder}/./${last}`,
    `${folder}/x/../${last}`,
    `${folder}/%2e/${last}`,
    `${folder}/x/%2E%2E/${last}`,
    `${path}/`,
    `${folder}%2f${last}`,
    `${folder}%2F${last}`,
    `${folder}/${encoded.replace('%', '%25')}`,
    `${path};x`,
    `${path}?x=/api/admin/approvals`,
    `${folder}/${last.toUpperCase()}`,
  ];
};

test.each([
  'POST /api/admin/approvals/addresses',
  'POST /api/admin/plugins/health/live',
  'POST /api/admin/workflows/options',
  'POST /api/admin/workflows/try',
])('no spelling and no method brings a reader to %s', async (routeKey) => {
  const place = { account: '000000000000', region: 'eu-central-1', stackName: 'hookloom-dev' };
  const template = resolveTemplate({ Resources: { HttpApi: { Type: 'AWS::ApiGatewayV2::Api' } } }, place);
  const apiId = template.resources.HttpApi?.ref ?? '';
  const { account: ACCOUNT, region: REGION } = place;
  const json = fill(reader, { STAGE: 'dev', REGION, ACCOUNT, API_ID: apiId });
  const door = await startDoor({
    template,
    backends: { dynamodb: 'http://127.0.0.1:9', lambda: 'http://127.0.0.1:9' },
    users: { reader: [JSON.parse(json)], owner: [everything] },
  });
  cleanups.push(() => door.stop());
  const findRoute = createRouter(serviceFile.routes);
  const mayCall = async (user: string, method: string, url: string): Promise<boolean> => {
    const host = `${apiId}.execute-api.${place.region}.amazonaws.com`;
    const signing = { service: 'execute-api', region: place.region, host, method, path: url };
    const { headers } = aws4.sign(signing, await door.credentialsOf(user));
    const lower = Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    return (await door.admit({ method, url, headers: lower, body: Buffer.alloc(0) })).allowed;
  };
  const [, path = ''] = routeKey.split(' ');
  const reached: string[] = [];
  for (const url of spell(path)) {
    expect([url, await mayCall('owner', 'POST', url)]).toEqual([url, true]); // not refused for its signature
    for (const method of ['GET', 'HEAD', 'POST']) {
      const route = findRoute(method, url.split('?')[0] ?? '');
      if (route?.routeKey.endsWith(path) && (await mayCall('reader', method, url)))
        reached.push(`${method} ${url}`);
    }
  }
  expect(reached).toEqual([]);
  expect(await mayCall('reader', 'GET', '/api/admin/approvals')).toBe(true);
});

/** What the editor of the console calls, and no command. */
const EVALUATE = 'POST/api/admin/workflows/evaluate';

/** The routes of the API that a policy allows, as patterns. */
const routesOf = ({ Statement }: typeof author): readonly RegExp[] =>
  Statement.filter(({ Effect, Action }) => Effect === 'Allow' && Action.includes('execute-api:Invoke'))
    .flatMap(({ Resource }) => Resource as readonly string[])
    .map((arn) => new RegExp(`^${(arn.split('API_ID/*/')[1] ?? '').replaceAll('*', '.*')}$`));

// holds: policies-limit-people
test('the reader’s policy allows each route that is a GET, the one that runs a node without effects, and no other', () => {
  const allowed = routesOf(reader);
  const all = routes.map(({ route: { route } }) => route.replace(' ', ''));
  const open = all.filter((route) => allowed.some((one) => one.test(route)));
  const readable = all.filter((route) => route.startsWith('GET/'));
  expect(readable.length).toBeGreaterThan(20);
  expect(open.sort()).toEqual([...readable, EVALUATE].sort());
});

/** Runs commands. @returns the routes that they called: `GET/api/admin/workflows` */
const run = async (
  commands: readonly string[],
  { call, asked }: Pick<Awaited<ReturnType<typeof aCommandLine>>, 'call' | 'asked'>,
): Promise<readonly string[]> => {
  for (const command of commands) {
    const { code, err } = await call(command);
    expect([command, code === 0 ? '' : err]).toEqual([command, '']);
  }
  return [...new Set(asked)].map((one) => one.replace(' ', ''));
};

test('commands for workflows call every route that the author’s policy allows, and no other', async () => {
  const line = await aCommandLine();
  const path = line.file('w.json', aWorkflow());
  const commands = [
    `workflow put ${path}`,
    'workflow disable greeting',
    'workflow enable greeting',
    'workflow get greeting --version 1',
    `workflow try ${path} --node greet --input ${line.file('input', { body: { name: 'Ada' } })}`,
    `pull ${dirname(path)}`,
    'request listen greeting',
    'variable list',
    'workflow list',
    'workflow history greeting',
    'workflow diff greeting',
    'workflow rollback greeting 2',
    'workflow remove greeting',
  ];
  // For more files than one request holds; and what asks other services.
  const others = ['POST/api/admin/workflows/validate', 'POST/api/admin/workflows/options', EVALUATE];
  const used = [...(await run(commands, line)), ...others];
  const routes = routesOf(author);
  expect(used.filter((one) => !routes.some((route) => route.test(one)))).toEqual([]);
  expect(routes.filter((route) => !used.some((one) => route.test(one)))).toEqual([]);
  const actions = author.Statement.flatMap(({ Action }) => Action);
  expect(actions).toEqual(['cloudformation:DescribeStacks', 'execute-api:Invoke']);
});

test('commands for credentials, variables, state, plugins, executions, bulk retries, requests and approvals call the routes that the operator’s policy allows, and no other', async () => {
  const lambda = createServer((_request, response) => response.writeHead(202).end('{}'));
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
  const { port } = lambda.address() as AddressInfo;
  cleanups.push(async () => lambda.close());
  const line = await aCommandLine({ engineEndpoint: `http://127.0.0.1:${port}` });
  const { executions, workflows, requests } = line.stores;
  const definition = aWorkflow({
    id: 'orders',
    connections: [],
    nodes: [aTrigger({ path: '/orders', deduplication: 'body.id' })],
  });
  await workflows.put(definition, toPathConfigs(definition));
  const startedAt = Date.parse('2026-11-20T11:59:00.000Z');
  const [{ id: nodeId } = { id: '' }] = definition.nodes;
  const start = { workflowVersion: 1, startedAt, trigger: { nodeId, type: 'webhookTrigger' } };
  await executions.start(anExecutionStart({ ...start, executionId: 'failed' }));
  const failure = { nodeId: 'start', name: 'Error', message: 'it failed' };
  await executions.finish('failed', anExecutionEnd({ status: 'failed', endedAt: startedAt + 1, failure }));
  await executions.start(anExecutionStart({ ...start, executionId: 'running' }));
  await executions.acquireLease('running', aLease({ leaseOwner: 'arn:1' }));
  await requests.put(
    aRequestRecord({ workflowId: 'orders', receivedAt: startedAt, place: refusedPlace(startedAt, 7) }),
  );
  const reading = [
    'execution list',
    'execution list --workflow orders --status failed',
    'execution show failed',
    'request list orders',
    'request show orders.r20261120T1159-07',
    'approval list',
    'workflow list',
    'workflow get orders',
  ];
  const read = await run(reading, line);
  expect(read.filter((one) => !routesOf(reader).some((route) => route.test(one)))).toEqual([]);
  const { api } = line.target();
  const { bulkRetryId } = await api.call<{ readonly bulkRetryId: string }>(
    'POST',
    '/api/admin/executions/retry',
    { body: { filter: { all: true } } },
  );
  const changing = [
    `bulk-retry show ${bulkRetryId}`,
    `bulk-retry cancel ${bulkRetryId}`,
    'bulk-retry list',
    'execution retry failed',
    'execution cancel running',
    'request send-again orders.r20261120T1159-07',
    'workflow run orders',
    'approval list --addresses',
  ];
  const onVariables = ['set place here', 'get place', 'list', 'remove place'];
  const onState = ['put a 1', 'get a', 'list', 'export', 'delete a'];
  const onPlugins = ['list', 'disable slack', 'enable slack'];
  const onCredentials = [
    'create key --type apiKey',
    'rotate key',
    'revoke key 1',
    'list',
    'show key',
    'remove key',
  ];
  const used = await run(
    [
      ...changing,
      ...onCredentials.map((one) => `credential ${one}`),
      ...onVariables.map((one) => `variable ${one}`),
      ...onState.map((rest) => `state ${rest} --store shared`),
      ...onPlugins.map((one) => `plugin ${one}`),
    ],
    line,
  );
  const routes = routesOf(operator);
  expect(used.filter((one) => !routes.some((route) => route.test(one)))).toEqual([]);
  expect(routes.filter((route) => ![...used, EVALUATE].some((one) => route.test(one)))).toEqual([]);
});
