import type * as v from 'valibot';
import { type ApiRoute, answerRoute, type BodyOf } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import type { ListedPlugins } from '../plugins/summaries.ts';
import { answerJson } from '../shared/answer.ts';
import type { AdminParts } from './ports.ts';
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

export const initialisePlugins = async ({ loadRegistry }: AdminParts) => (await loadRegistry()).initialise();
