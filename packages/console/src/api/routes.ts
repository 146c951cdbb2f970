import type * as approvals from '../../../../lib/app/approvals.ts';
import type * as bulkRetries from '../../../../lib/app/bulk-retries.ts';
import type * as credentials from '../../../../lib/app/credentials.ts';
import type * as debug from '../../../../lib/app/debug.ts';
import type * as editCredentials from '../../../../lib/app/edit-credentials.ts';
import type * as editWorkflows from '../../../../lib/app/edit-workflows.ts';
import type * as executions from '../../../../lib/app/executions.ts';
import type * as health from '../../../../lib/app/health.ts';
import type * as listening from '../../../../lib/app/listening.ts';
import type * as notices from '../../../../lib/app/notices.ts';
import type * as plugins from '../../../../lib/app/plugins.ts';
import type * as requests from '../../../../lib/app/requests.ts';
import type * as runWorkflow from '../../../../lib/app/run-workflow.ts';
import type * as state from '../../../../lib/app/state.ts';
import type * as statistics from '../../../../lib/app/statistics.ts';
import type * as trials from '../../../../lib/app/trials.ts';
import type * as types from '../../../../lib/app/types.ts';
import type * as variables from '../../../../lib/app/variables.ts';
import type * as workflows from '../../../../lib/app/workflows.ts';
import type { ApiRoute, BodyOf } from '../../../../lib/http/api-route.ts';

// The admin API as it is declared: types alone, so that the page has none of the service's code.

type Topics =
  | typeof approvals
  | typeof bulkRetries
  | typeof editCredentials
  | typeof debug
  | typeof credentials
  | typeof executions
  | typeof listening
  | typeof health
  | typeof plugins
  | typeof runWorkflow
  | typeof requests
  | typeof state
  | typeof notices
  | typeof statistics
  | typeof trials
  | typeof types
  | typeof variables
  | typeof editWorkflows
  | typeof workflows;

type Exported<Topic> = Topic extends Topic ? Topic[keyof Topic] : never;

type Routes = Extract<Exported<Topics>, ApiRoute>;

/** The key of a route: `GET /api/admin/executions/{executionId}`. */
export type RouteKey = Routes['route'];

type RouteOf<Key extends RouteKey> = Extract<Routes, { readonly route: Key }>;

type Success = 200 | 201 | 202;

/** The body with which a route answers, unless with a problem. */
export type Answer<Key extends RouteKey> = RouteOf<Key>['answers'] extends infer Answers
  ? { [Status in keyof Answers & Success]: BodyOf<Answers[Status]> }[keyof Answers & Success]
  : never;
