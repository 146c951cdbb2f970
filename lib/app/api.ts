import type { GenericSchema } from 'valibot';
import type { ApiRoute } from '../http/api-route.ts';
import * as answers from './answers.ts';
import * as approvals from './approvals.ts';
import * as bulkRetries from './bulk-retries.ts';
import * as credentials from './credentials.ts';
import * as executions from './executions.ts';
import * as health from './health.ts';
import * as plugins from './plugins.ts';
import * as requests from './requests.ts';
import * as state from './state.ts';
import * as statistics from './statistics.ts';
import * as trials from './trials.ts';
import * as types from './types.ts';
import * as variables from './variables.ts';
import * as workflows from './workflows.ts';

/** The declarations by topic, in the order of the document: every export `NAMERoute` is a route, every object schema a component. */
export const topics = {
  workflows,
  trials,
  executions,
  bulkRetries,
  statistics,
  requests,
  approvals,
  credentials,
  variables,
  state,
  types,
  plugins,
  health,
};

interface NamedRoute {
  /** Its topic: a tag of the OpenAPI document. */
  readonly topic: string;
  /** Its name: the id of the operation. */
  readonly name: string;
  readonly route: ApiRoute;
}

const isRoute = (value: unknown): value is ApiRoute =>
  typeof value === 'object' && value !== null && 'route' in value;

const isObjectSchema = (value: unknown): value is GenericSchema =>
  typeof value === 'object' && value !== null && 'kind' in value && 'entries' in value;

const METHODS = ['GET', 'PUT', 'POST', 'DELETE'];

/** Sorts by path, then by method. */
const toKey = ({ route: { route } }: NamedRoute): string => {
  const [method = '', path = ''] = route.split(' ');
  return `${path} ${METHODS.indexOf(method)}`;
};

export const routes: readonly NamedRoute[] = Object.entries(topics).flatMap(([topic, declared]) =>
  Object.entries<unknown>(declared)
    .flatMap(([key, route]) => (isRoute(route) ? [{ topic, name: key.replace(/Route$/, ''), route }] : []))
    .sort((one, other) => (toKey(one) < toKey(other) ? -1 : 1)),
);

/** Objects in answers, by name: components of the OpenAPI document. */
export const components: Readonly<Record<string, GenericSchema>> = Object.fromEntries(
  [answers, ...Object.values(topics)].flatMap((declared) =>
    Object.entries<unknown>(declared).flatMap(([name, schema]) =>
      isObjectSchema(schema) ? [[`${name[0]?.toUpperCase()}${name.slice(1)}`, schema]] : [],
    ),
  ),
);
