import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { checkWorkflows } from '../../authoring/stage/check-workflows.ts';
import { openReadWorkflows } from '../../lib/app/compose/admin.ts';
import { openEditWorkflows } from '../../lib/app/compose/editing.ts';
import { type Config, readConfig } from '../../lib/app/config.ts';
import { createEditWorkflows } from '../../lib/app/edit-workflows-handlers.ts';
import { createReadWorkflows } from '../../lib/app/workflows-handlers.ts';
import { readServiceFile } from '../../local/functions/service-file.ts';
import { createRouter } from '../../local/gateway/routes.ts';
import { anEvent } from './an-api-event.ts';
import { environmentOf, type LocalValues } from './function-environment.ts';
import { projectRoot } from './run-command.ts';

type Handler = (event: never, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** In place of what a function opens. */
type Others = Partial<ReturnType<typeof openEditWorkflows>>;

/** By key, as the files in functions/admin have it. */
const open: Readonly<Record<string, (config: Config, others: Others) => Handler>> = {
  adminWorkflows: (config, others) => createReadWorkflows({ ...openReadWorkflows(config), ...others }),
  adminEditWorkflows: (config, others) => {
    const parts = { ...openEditWorkflows(config), ...others };
    const check: Parameters<typeof createEditWorkflows>[0]['check'] = (values, { findNodeType }) =>
      checkWorkflows(values, { ...parts, findNodeType });
    return createEditWorkflows({ ...parts, check });
  },
};

const findRoute = createRouter(readServiceFile(projectRoot, {}).routes);

interface ApiRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** ARN of the caller; none without IAM. */
  readonly caller?: string;
}

/**
 * The admin API in this process: each function on its route of serverless.yml, with its variables.
 *
 * @param values - the local endpoints
 */
export const anAdminApi = (values: LocalValues, others: Others = {}) => {
  const handlers = new Map<string, Handler>();

  /** @param address - the path with its query */
  return async (method: string, address: string, { headers = {}, body, caller }: ApiRequest = {}) => {
    const [path = '', query = ''] = address.split('?');
    const route = findRoute(method, path);
    const openFunction = route === null ? undefined : open[route.functionKey];
    if (route === null || openFunction === undefined) throw new Error(`no function for ${method} ${path}`);
    const { functionKey, routeKey, pathParameters } = route;
    const handler =
      handlers.get(functionKey) ??
      openFunction(readConfig({ ...environmentOf(functionKey, values), LOG_LEVEL: 'error' }), others);
    handlers.set(functionKey, handler);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const event = anEvent({
      ...{ method, path, headers: { ...type, ...headers } },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const iam = { accessKey: 'A', accountId: '1', callerId: 'A', userArn: caller };
    const requestContext = {
      ...event.requestContext,
      routeKey,
      ...(caller === undefined ? {} : { authorizer: { iam } }),
    };
    const answer = await handler(
      { ...event, routeKey, rawQueryString: query, pathParameters, requestContext } as never,
      {} as Context,
    );
    const text = typeof answer.body === 'string' ? answer.body : 'null';
    return { status: answer.statusCode ?? 0, headers: answer.headers ?? {}, body: JSON.parse(text) };
  };
};
