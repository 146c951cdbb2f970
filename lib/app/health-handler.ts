import { isId } from '@hookloom/plugin-kit/host';
import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import type { OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import type { Inspect } from '../health/inspect.ts';
import { createKeeper } from '../health/keep-reports.ts';
import { mergeInspection } from '../health/merge-inspection.ts';
import type { TestCredential } from '../health/probe-credentials.ts';
import { createHandler, onlyMethod } from '../http/create-handler.ts';
import { parseQuery, readPathParameter, readQuery } from '../http/read-parameters.ts';
import { describeError, withinDeadline } from '../plugins/call-plugin.ts';
import { checkPlugins, toReport } from '../plugins/health.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { CREDENTIAL_NOT_FOUND, PLUGIN_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { text, word } from '../shared/query-fields.ts';
import { type AdminParts, createAdminFunction } from './plugins-handlers.ts';

/** The live tests of outbound credentials. */
interface CredentialTests {
  readonly find: (id: string) => Promise<OutboundCredential | null>;
  readonly test: TestCredential;
}

export type OpenCredentialTests = (registry: Pick<Registry, 'credentialTypes'>) => Promise<CredentialTests>;

interface HealthParts extends AdminParts {
  readonly inspect: Inspect;
  /** Time limit for the checks of one plugin. */
  readonly pluginDeadlineMs: number;
}

const healthQuery = v.object({
  /** Id of the only plugin to report; null for all. */
  plugin: v.nullish(text, null),
  /** With `true`, the request runs the live tests of the credentials. */
  probe: v.nullish(word(['true', 'false']), 'false'),
});

/** How long a sandbox caches a report, so that monitoring causes no load. */
const KEPT_MS = 5_000;

/** Time reserved for the report after the last check. */
const MARGIN_MS = 500;

/** Maximum duration of a report, even if the function has more time. */
const MAX_MS = 25_000;

/** Maximum duration of a single test. */
const TEST_MS = 20_000;

interface TestParts extends AdminParts {
  readonly openTests: OpenCredentialTests;
}

/** Creates the two routes of the function: the report, and the live test of one credential. */
export const createHealthRoutes = (parts: HealthParts & TestParts) => {
  const [report, test] = [createHealthFunction(parts), createCredentialTest(parts)];
  return (event: unknown, context: Context) =>
    readPathParameter(event, 'credentialId') === '' ? report(event, context) : test(event, context);
};

/**
 * `POST /api/admin/credentials/{credentialId}/test`: runs the live test of a credential where workflows run, with their
 * network and permissions. The status is 200 whatever the result; 404 if the credential does not exist.
 */
const createCredentialTest = (parts: TestParts) =>
  createHandler(
    parts,
    onlyMethod('POST', parts.clock, async ({ event }) => {
      readQuery(event, []);
      const credentialId = readPathParameter(event, 'credentialId');
      const registry = await parts.loadRegistry();
      await registry.initialise();
      const { find, test } = await parts.openTests(registry);
      const credential = isId(credentialId) ? await find(credentialId) : null;
      if (credential === null) throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId });
      const result = await withinDeadline(parts.clock, TEST_MS, (signal) => test(credentialId, signal)).catch(
        (error: unknown) => ({ status: 'unhealthy' as const, message: describeError(error) }),
      );
      const { status, message } = result ?? { status: 'untested', message: 'its type has no live test' };
      const said = message === undefined ? {} : { message: describeError(message) };
      return answerJson(200, { credentialId, type: credential.type, status, ...said });
    }),
  );

/**
 * `GET /api/admin/plugins/health`: 503 if no plugin works or the registry can't be built. Checks end before the
 * function's timeout.
 */
export const createHealthFunction = (parts: HealthParts) => {
  const { logger, clock, pluginDeadlineMs, inspect } = parts;
  const keep = createKeeper<Awaited<ReturnType<typeof report>>>({ clock, ttlMs: KEPT_MS });

  const report = async (
    registry: Registry,
    { plugin, probe }: v.InferOutput<typeof healthQuery>,
    context: Partial<Context>,
  ) => {
    const remainingMs = () => (context.getRemainingTimeInMillis?.() ?? MAX_MS + MARGIN_MS) - MARGIN_MS;
    await registry.initialise(); // before the remaining time is read
    const deadlineMs = Math.max(0, Math.min(pluginDeadlineMs, remainingMs()));
    const rows = await checkPlugins(registry, { logger, clock, deadlineMs, plugin });
    const endsAt = clock.now() + Math.min(MAX_MS, remainingMs());
    const inspection = await inspect(registry, { plugin, probe: probe === 'true', endsAt });
    return mergeInspection(rows, inspection, clock.now());
  };

  return createAdminFunction(parts, async ({ event, context }) => {
    const query = parseQuery(event, healthQuery);
    const registry = await parts.loadRegistry().catch((cause: unknown) => {
      logger.error('The plugin registry could not be built.', { cause });
      return null;
    });
    if (registry === null) return answerJson(503, toReport([], clock.now()));
    if (query.plugin !== null && !registry.plugins.some(({ id }) => id === query.plugin))
      throw new AppError(PLUGIN_NOT_FOUND, { near: null });
    const { value, expiresAt } = await keep(JSON.stringify(query), () => report(registry, query, context));
    const answer = answerJson(value.status === 'unhealthy' ? 503 : 200, value);
    return cacheFor(answer, expiresAt - clock.now());
  });
};

/** Lets only the caller cache an answer: reports are protected by IAM. */
const cacheFor = ({ headers, ...answer }: Answer, ms: number): Answer => ({
  ...answer,
  headers: { ...headers, 'cache-control': `private, max-age=${Math.max(0, Math.ceil(ms / 1_000))}` },
});
