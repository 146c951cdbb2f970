import type { Clock, Logger } from '@hookloom/plugin-kit';
import type * as v from 'valibot';
import { type ApiRoute, answerRoute, type BodyOf } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { describePlugin } from '../plugins/reference/describe-plugin.ts';
import type { ListedPlugins } from '../plugins/summaries.ts';
import { answerJson } from '../shared/answer.ts';
import { showPluginRoute } from './plugins.ts';

export interface AdminParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loadRegistry: () => Promise<Registry>;
}

/** Routes that list the installed plugins after initialising them; all have the same answer. */
export const createAdminList = <Schema extends v.GenericSchema>(
  parts: AdminParts,
  routes: readonly (ApiRoute & { readonly answers: { readonly 200: Schema } })[],
  list: (registry: ListedPlugins, now: number) => BodyOf<Schema>,
) =>
  serveRoutes(
    parts,
    routes.map((route) =>
      answerRoute(route, async () =>
        answerJson(200, list({ plugins: await initialisePlugins(parts) }, parts.clock.now())),
      ),
    ),
  );

/** `GET /api/admin/plugins/{id}`: everything that a plugin declares. */
export const createShowPlugin = (parts: AdminParts) =>
  serveRoutes(parts, [
    answerRoute(showPluginRoute, async ({ params }) =>
      answerJson(200, describePlugin({ plugins: await initialisePlugins(parts) }, params.id)),
    ),
  ]);

const initialisePlugins = async ({ loadRegistry }: AdminParts) => (await loadRegistry()).initialise();
