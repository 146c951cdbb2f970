import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createRouter } from 'lambda-stage/gateway';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { createListApprovals } from '../../lib/app/approvals.ts';
import { createBulkRetries } from '../../lib/app/bulk-retries.ts';
import {
  openAdmin,
  openApprovals,
  openBulkRetries,
  openCancel,
  openEditCredentials,
  openEditedRetry,
  openEditWorkflows,
  openExecutions,
  openHealth,
  openReadWorkflows,
  openRequests,
  openSendAgain,
  openSettings,
  openShowExecution,
  openShowStatistics,
  openState,
  openTrials,
} from '../../lib/app/compose/admin.ts';
import { openRunWorkflow } from '../../lib/app/compose/triggers.ts';
import { type Config, readConfig } from '../../lib/app/config.ts';
import { createDebug } from '../../lib/app/debug.ts';
import { createCredentials } from '../../lib/app/edit-credentials.ts';
import { createEditWorkflows } from '../../lib/app/edit-workflows.ts';
import {
  createCancelExecution,
  createListExecutions,
  createRetryExecution,
  createShowExecution,
} from '../../lib/app/executions.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import {
  createShowPlugin,
  listActionsRoute,
  listPluginsRoute,
  listProvidersRoute,
  listTriggersRoute,
} from '../../lib/app/plugins.ts';
import { createSendAgain, createShowRequests } from '../../lib/app/requests.ts';
import { createRunWorkflow } from '../../lib/app/run-workflow.ts';
import { createState } from '../../lib/app/state.ts';
import { createShowStatistics } from '../../lib/app/statistics.ts';
import { createTryNode } from '../../lib/app/trials.ts';
import { createReadTypes } from '../../lib/app/types.ts';
import { createSettings } from '../../lib/app/variables.ts';
import { createReadWorkflows } from '../../lib/app/workflows.ts';
import { listActions, listPlugins, listProviders, listTriggers } from '../../lib/plugins/summaries.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { checkTrial } from '../../packages/authoring/stage/check-trial.ts';
import { checkWorkflows } from '../../packages/authoring/stage/check-workflows.ts';
import { checkSchema } from '../../packages/authoring/validation/schema/check-schema.ts';
import { anEvent } from './an-api-event.ts';
import { checked } from './checked-answers.ts';
import { environmentOf, type LocalValues, serviceFile } from './function-environment.ts';
import { typesOnUse } from './types-on-use.ts';

type Handler = (event: never, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** In place of what a function opens. */
export type Others = Partial<
  ReturnType<typeof openEditWorkflows> &
    ReturnType<typeof openShowExecution> &
    Pick<ReturnType<typeof openEditCredentials>, 'secrets'>
>;

/** By key, as the files in functions/admin have it. */
export const adminFunctions: Readonly<Record<string, (config: Config, others: Others) => Handler>> = {
  adminStatistics: (config) => createShowStatistics(openShowStatistics(config)) as Handler,
  adminWorkflows: (config, others) =>
    createReadWorkflows({ ...openReadWorkflows(installedPlugins, config), ...others }),
  adminState: (config) => createState(openState(config)),
  adminSettings: (config, others) => createSettings({ ...openSettings(installedPlugins, config), ...others }),
  adminEditWorkflows: (config, others) => {
    const parts = { ...openEditWorkflows(installedPlugins, config), ...others };
    const check: Parameters<typeof createEditWorkflows>[0]['check'] = (values, { findNodeType }, options) =>
      checkWorkflows(values, { ...parts, findNodeType, ...options });
    return createEditWorkflows({ ...parts, check });
  },
  adminTryNode: (config) => {
    const parts = openTrials(installedPlugins, config);
    return createTryNode({ ...parts, check: (definition, nodeId) => checkTrial(definition, nodeId, parts) });
  },
  adminCredentials: (config, others) => {
    const opened = openEditCredentials(installedPlugins, config);
    const { logger = opened.logger, secrets = opened.secrets } = others;
    const checkFields: Parameters<typeof createCredentials>[0]['checkFields'] = (schema, fields) =>
      checkSchema(schema, fields, '');
    return createCredentials({ ...opened, logger, secrets, checkFields });
  },
  adminHealth: (config) => createHealthRoutes(openHealth(installedPlugins, config)),
  adminExecutions: (config) => createListExecutions(openExecutions(config)),
  adminExecution: (config, others) => createShowExecution({ ...openShowExecution(config), ...others }),
  adminRetryExecution: (config) => createRetryExecution(openEditedRetry(installedPlugins, config)),
  adminBulkRetries: (config) => createBulkRetries(openBulkRetries(installedPlugins, config)),
  adminCancelExecution: (config) => createCancelExecution(openCancel(config)),
  adminRunWorkflow: (config) => createRunWorkflow(openRunWorkflow(installedPlugins, config)),
  adminRequests: (config) => createShowRequests(openRequests(config)),
  adminSendAgain: (config) => createSendAgain(openSendAgain(installedPlugins, config)),
  adminApprovals: (config) => createListApprovals(openApprovals(config)),
  adminTypes: (config) => createReadTypes({ ...openAdmin(installedPlugins, config), ...typesOnUse }),
  adminPlugins: (config) =>
    createAdminList(openAdmin(installedPlugins, config), [listPluginsRoute], listPlugins),
  adminPlugin: (config) => createShowPlugin(openAdmin(installedPlugins, config)),
  adminTriggers: (config) =>
    createAdminList(openAdmin(installedPlugins, config), [listTriggersRoute], listTriggers),
  adminActions: (config) =>
    createAdminList(openAdmin(installedPlugins, config), [listActionsRoute], listActions),
  adminProviders: (config) =>
    createAdminList(openAdmin(installedPlugins, config), [listProvidersRoute], listProviders),
  adminDebug: (config) => createDebug(openAdmin(installedPlugins, config)),
};

const findRoute = createRouter(serviceFile.routes);

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
    const openFunction = route === null ? undefined : adminFunctions[route.functionKey];
    if (route === null || openFunction === undefined) throw new Error(`no function for ${method} ${path}`);
    const { functionKey, routeKey, pathParameters } = route;
    const handler =
      handlers.get(functionKey) ??
      checked(
        openFunction(readConfig(environmentOf(functionKey, { LOG_LEVEL: 'error', ...values })), others),
      );
    handlers.set(functionKey, handler);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const event = anEvent({
      method,
      path: decodeURIComponent(path),
      headers: { ...type, ...headers }, // as the gateway hands it over
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
    const sent = typeof answer.body === 'string' ? answer.body : 'null';
    const text = answer.isBase64Encoded === true ? Buffer.from(sent, 'base64').toString() : sent;
    return { status: answer.statusCode ?? 0, headers: answer.headers ?? {}, body: JSON.parse(text) };
  };
};
