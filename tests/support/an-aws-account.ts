import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { resolveTemplate } from 'lambda-stage/door';
import { startInternalServer } from 'lambda-stage/net';

export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

type ResolvedTemplate = ReturnType<typeof resolveTemplate>;
type Template = Parameters<typeof resolveTemplate>[0];

/** What a stack is made of, when a change set of it is executed. */
export interface Launch {
  readonly template: Template;
  readonly parameters: Readonly<Record<string, string>>;
  /** The objects of the bucket for code, by key. */
  readonly objects: ReadonlyMap<string, Buffer>;
}

/** The result of a launch: outputs of the stack and a DynamoDB, or a resource that failed, with AWS's reason. */
export type Launched =
  | { readonly outputs: Readonly<Record<string, unknown>>; readonly database?: string }
  | Failed;

interface Failed {
  readonly failed: string;
  readonly reason: string;
}

interface StackState {
  status: string;
  launch: Launch | null;
  resources: ResolvedTemplate['resources'];
  outputs: Readonly<Record<string, unknown>>;
  /** Newest first. */
  readonly events: string[];
}

interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

type Form = URLSearchParams;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const tag = (name: string, ...content: readonly string[]): string => `<${name}>${content.join('')}</${name}>`;

const refuse = (code: string, message: string, status = 400): Answer => ({
  status,
  body: tag(
    'ErrorResponse',
    tag('Error', tag('Type', 'Sender'), tag('Code', code), tag('Message', escapeXml(message))),
  ),
});

const answer = (action: string, ...content: readonly string[]): Answer => ({
  status: 200,
  body: tag(`${action}Response`, tag(`${action}Result`, ...content)),
});

const toDetail = (name: string): string =>
  tag('member', tag('Target', tag('Attribute', 'Properties'), tag('Name', name)));

type Resource = ResolvedTemplate['resources'][string] | undefined;

/** The properties that differ; none of a resource that is added or removed. */
const propertiesOf = (before: Resource, after: Resource): readonly string[] =>
  before === undefined || after === undefined
    ? []
    : Object.keys({ ...before.properties, ...after.properties }).filter(
        (name) => !isDeepStrictEqual(before.properties[name], after.properties[name]),
      );

/**
 * An account of AWS as CloudFormation, S3 and STS document their answers, for one stack at a time; its DynamoDB is the launched stack's.
 *
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
 */
export const startAwsAccount = async (
  launch: (given: Launch) => Promise<Launched>,
  remove: () => Promise<Failed | null> = async () => null,
) => {
  const objects = new Map<string, Buffer>();
  const buckets = new Set<string>();
  const settings: string[] = [];
  const calls: string[] = [];
  const sets = new Map<string, { readonly launch: Launch; readonly changes: readonly string[] }>();
  let stack: StackState | null = null;
  let database: string | null = null;
  let events = 0;

  const arnOf = (name: string) => `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${name}/1`;

  const addEvent = (stackName: string, id: string, type: string, status: string, reason = ''): void => {
    events++;
    stack?.events.unshift(
      tag(
        'member',
        tag('EventId', `event-${events}`),
        tag('StackId', arnOf(stackName)),
        tag('StackName', stackName),
        tag('LogicalResourceId', id),
        tag('PhysicalResourceId', id === stackName ? arnOf(stackName) : `physical-${id}`),
        tag('ResourceType', type),
        tag('ResourceStatus', status),
        ...(reason === '' ? [] : [tag('ResourceStatusReason', escapeXml(reason))]),
        tag('Timestamp', '2026-11-29T12:00:00.000Z'),
      ),
    );
  };

  const findChanges = (wanted: ResolvedTemplate['resources']): readonly string[] => {
    const known = stack?.resources ?? {};
    const ids = [...new Set([...Object.keys(known), ...Object.keys(wanted)])];
    return ids.flatMap((id) => {
      const [before, after] = [known[id], wanted[id]];
      if (isDeepStrictEqual(before?.properties, after?.properties)) return [];
      const [action, replaces] =
        before === undefined ? ['Add', ''] : after === undefined ? ['Remove', ''] : ['Modify', 'False'];
      const isNamedAnew = replaces !== '' && before?.ref !== after?.ref;
      return [
        tag(
          'member',
          tag('Type', 'Resource'),
          tag(
            'ResourceChange',
            tag('Action', action),
            tag('LogicalResourceId', id),
            tag('ResourceType', (after ?? before)?.type ?? ''),
            ...(replaces === '' ? [] : [tag('Replacement', isNamedAnew ? 'True' : 'False')]),
            tag('Details', ...propertiesOf(before, after).map(toDetail)),
          ),
        ),
      ];
    });
  };

  const operations: Readonly<Record<string, (form: Form, stackName: string) => Answer | Promise<Answer>>> = {
    GetCallerIdentity: () => answer('GetCallerIdentity', tag('Account', ACCOUNT)),
    DescribeStacks: (_form, name) => {
      // A removed stack is only found by its id.
      if (stack === null || (stack.status === 'DELETE_COMPLETE' && !name.startsWith('arn:')))
        return refuse('ValidationError', `Stack with id ${name} does not exist`);
      const outputs = Object.entries(stack.outputs).map(([key, value]) =>
        tag('member', tag('OutputKey', key), tag('OutputValue', escapeXml(String(value)))),
      );
      const parameters = Object.entries(stack.launch?.parameters ?? {}).map(([key, value]) =>
        tag('member', tag('ParameterKey', key), tag('ParameterValue', escapeXml(value))),
      );
      return answer(
        'DescribeStacks',
        tag(
          'Stacks',
          tag(
            'member',
            tag('StackName', name),
            tag('StackId', name.startsWith('arn:') ? name : arnOf(name)),
            tag('CreationTime', '2026-11-29T12:00:00.000Z'),
            tag('StackStatus', stack.status),
            tag('Parameters', ...parameters),
            tag('Outputs', ...outputs),
          ),
        ),
      );
    },
    ListStackResources: (_form, name) => {
      if (stack === null) return refuse('ValidationError', `Stack with id ${name} does not exist`);
      const members = Object.values(stack.resources).map(({ logicalId, ref, type }) =>
        tag(
          'member',
          tag('LogicalResourceId', logicalId),
          tag('PhysicalResourceId', escapeXml(ref ?? logicalId)),
          tag('ResourceType', type),
          tag('ResourceStatus', 'CREATE_COMPLETE'),
          tag('LastUpdatedTimestamp', '2026-11-29T12:00:00.000Z'),
        ),
      );
      return answer('ListStackResources', tag('StackResourceSummaries', ...members));
    },
    CreateChangeSet: (form, name) => {
      const type = form.get('ChangeSetType');
      const isNew = stack === null || stack.status === 'REVIEW_IN_PROGRESS';
      if ((type === 'CREATE') !== isNew) return refuse('ValidationError', `the stack can't be a ${type}`);
      if (!form.toString().includes('CAPABILITY_NAMED_IAM'))
        return refuse('InsufficientCapabilities', 'Requires capabilities : [CAPABILITY_NAMED_IAM]');
      const [, key = ''] = /\.amazonaws\.com\/(.*)$/.exec(form.get('TemplateURL') ?? '') ?? [];
      const text = objects.get(key);
      if (text === undefined)
        return refuse('ValidationError', `S3 error: The specified key ${key} does not exist.`);
      const parameters: Record<string, string> = {};
      for (let at = 1; form.has(`Parameters.member.${at}.ParameterKey`); at++)
        parameters[form.get(`Parameters.member.${at}.ParameterKey`) ?? ''] =
          form.get(`Parameters.member.${at}.ParameterValue`) ?? '';
      const template: Template = JSON.parse(text.toString());
      const options = { account: ACCOUNT, region: REGION, stackName: name, parameters };
      stack ??= { status: 'REVIEW_IN_PROGRESS', launch: null, resources: {}, outputs: {}, events: [] };
      const set = form.get('ChangeSetName') ?? '';
      const { resources } = resolveTemplate(template, options);
      sets.set(set, { launch: { template, parameters, objects }, changes: findChanges(resources) });
      return answer('CreateChangeSet', tag('Id', set), tag('StackId', arnOf(name)));
    },
    DescribeChangeSet: (form) => {
      const set = sets.get(form.get('ChangeSetName') ?? '');
      if (set === undefined) return refuse('ChangeSetNotFound', 'ChangeSet does not exist', 404);
      if (set.changes.length === 0)
        return answer(
          'DescribeChangeSet',
          tag('Status', 'FAILED'),
          tag(
            'StatusReason',
            "The submitted information didn't contain changes. Submit different information.",
          ),
        );
      // In pages, as AWS has them.
      const from = Number(form.get('NextToken') ?? 0);
      const to = from + 200;
      return answer(
        'DescribeChangeSet',
        tag('Status', 'CREATE_COMPLETE'),
        tag('Changes', ...set.changes.slice(from, to)),
        ...(to < set.changes.length ? [tag('NextToken', String(to))] : []),
      );
    },
    DeleteChangeSet: (form) => {
      sets.delete(form.get('ChangeSetName') ?? '');
      return answer('DeleteChangeSet');
    },
    GetTemplate: () =>
      answer('GetTemplate', tag('TemplateBody', escapeXml(JSON.stringify(stack?.launch?.template)))),
    DeleteStack: async (_form, id) => {
      if (stack?.status === 'REVIEW_IN_PROGRESS') stack = null;
      else if (stack !== null) {
        const [, name = ''] = id.split('/');
        addEvent(name, name, 'AWS::CloudFormation::Stack', 'DELETE_IN_PROGRESS');
        const failed = await remove();
        for (const { logicalId, type } of Object.values(stack.resources))
          if (failed === null) addEvent(name, logicalId, type, 'DELETE_COMPLETE');
        if (failed !== null)
          addEvent(name, failed.failed, 'Custom::Registrations', 'DELETE_FAILED', failed.reason);
        stack.status = failed === null ? 'DELETE_COMPLETE' : 'DELETE_FAILED';
        const reason = failed && `The following resource(s) failed to delete: [${failed.failed}]. `;
        addEvent(name, name, 'AWS::CloudFormation::Stack', stack.status, reason ?? '');
      }
      return { status: 200, body: tag('DeleteStackResponse') };
    },
    ExecuteChangeSet: async (form, name) => {
      const set = sets.get(form.get('ChangeSetName') ?? '');
      if (set === undefined || stack === null)
        return refuse('ChangeSetNotFound', 'ChangeSet does not exist', 404);
      const verb = stack.status === 'REVIEW_IN_PROGRESS' ? 'CREATE' : 'UPDATE';
      addEvent(name, name, 'AWS::CloudFormation::Stack', `${verb}_IN_PROGRESS`);
      const { resources } = resolveTemplate(set.launch.template, {
        account: ACCOUNT,
        region: REGION,
        stackName: name,
        parameters: set.launch.parameters,
      });
      const made = await launch(set.launch);
      if ('failed' in made) {
        addEvent(name, made.failed, resources[made.failed]?.type ?? '', `${verb}_FAILED`, made.reason);
        addEvent(name, 'HttpApi', 'AWS::ApiGatewayV2::Api', `${verb}_FAILED`, 'Resource creation cancelled');
        stack.status = verb === 'CREATE' ? 'ROLLBACK_COMPLETE' : 'UPDATE_ROLLBACK_COMPLETE';
      } else {
        for (const { logicalId, type } of Object.values(resources))
          addEvent(name, logicalId, type, `${verb}_COMPLETE`);
        database = made.database ?? database;
        Object.assign(stack, {
          ...{ status: `${verb}_COMPLETE`, resources, outputs: made.outputs },
          launch: set.launch,
        });
      }
      addEvent(name, name, 'AWS::CloudFormation::Stack', stack.status);
      return answer('ExecuteChangeSet');
    },
    DescribeStackEvents: (form) => {
      const from = Number(form.get('NextToken') ?? 0);
      const to = from + 100;
      const all = stack?.events ?? [];
      return answer(
        'DescribeStackEvents',
        tag('StackEvents', ...all.slice(from, to)),
        ...(to < all.length ? [tag('NextToken', String(to))] : []),
      );
    },
  };

  /** https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
  const answerS3 = (method: string, url: URL, owner: string | undefined, body: Buffer): Answer => {
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
    const key = rest.join('/');
    if (owner !== undefined && owner !== ACCOUNT) return { status: 403 };
    if (key === '' && method === 'HEAD') return { status: buckets.has(bucket) ? 200 : 404 };
    if (key === '' && method === 'PUT') {
      const setting = ['publicAccessBlock', 'policy'].find((name) => url.searchParams.has(name));
      if (setting === undefined) buckets.add(bucket);
      else settings.push(`${setting} ${body}`);
      return { status: 200 };
    }
    if (!buckets.has(bucket)) return { status: 404 };
    if (method === 'HEAD') return { status: objects.has(key) ? 200 : 404 };
    if (method === 'PUT') objects.set(key, body);
    return { status: 200 };
  };

  const respond = async (request: IncomingMessage, body: Buffer): Promise<Answer> => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', 'http://account');
    const target = headers['x-amz-target'];
    if (typeof target === 'string' && target.startsWith('DynamoDB_')) {
      if (database === null)
        return {
          status: 400,
          body: JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' }),
          headers: { 'content-type': 'application/x-amz-json-1.0' },
        };
      const forwarded = await fetch(database, {
        method,
        headers: Object.fromEntries(
          Object.entries(headers).flatMap(([name, value]) =>
            ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)] as const],
          ),
        ),
        body: new Uint8Array(body),
      });
      const type = forwarded.headers.get('content-type') ?? '';
      return {
        status: forwarded.status,
        body: Buffer.from(await forwarded.arrayBuffer()),
        headers: { 'content-type': type },
      };
    }
    if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded'))
      return answerS3(method, url, headers['x-amz-expected-bucket-owner'] as string | undefined, body);
    const form = new URLSearchParams(body.toString());
    const action = form.get('Action') ?? '';
    calls.push(action);
    return operations[action]?.(form, form.get('StackName') ?? '') ?? refuse('InvalidAction', action);
  };

  const server = await startInternalServer(
    createServer(async (request: IncomingMessage, response: ServerResponse) => {
      const {
        status,
        body,
        headers = { 'content-type': 'text/xml' },
      } = await respond(request, await buffer(request));
      response.writeHead(status, headers).end(body);
    }),
  );
  return {
    /** What commands need to find it. */
    env: {
      AWS_ENDPOINT_URL: server.endpoint,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: '',
      AWS_REGION: REGION,
    },
    endpoint: server.endpoint,
    objects,
    buckets,
    /** What was set of buckets. */
    settings,
    /** The operations of CloudFormation that were called, in order. */
    calls,
    /** The state of the stack; null without one. */
    status: () => stack?.status ?? null,
    stop: server.stop,
  };
};
