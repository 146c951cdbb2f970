import { isId } from '@hookloom/plugin-kit/host';
import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import type { OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import type { AcceptedExecutions } from '../executions/lifecycle/find-accepted.ts';
import type { Inspect } from '../health/inspect.ts';
import { createKeeper } from '../health/keep-reports.ts';
import { mergeInspection } from '../health/merge-inspection.ts';
import type { TestCredential } from '../health/probe-credentials.ts';
import type { Silence } from '../health/silence/silence-rules.ts';
import { answerRoute, defineRoute, type RouteCall } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { describeError, withinDeadline } from '../plugins/call-plugin.ts';
import { checkPlugins, toReport } from '../plugins/health.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { CREDENTIAL_NOT_FOUND, PLUGIN_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { optional, text } from '../shared/query-fields.ts';
import { described, instant } from './answers.ts';
import type { AdminParts } from './ports.ts';
import { silence } from './silence-answers.ts';

const check = v.object({ status: v.picklist(['healthy', 'unhealthy']), message: v.optional(v.string()) });

const read = { read: v.number(), complete: v.boolean() };

export const pluginHealth = v.object({
  status: v.picklist(['healthy', 'warning', 'unhealthy', 'disabled']),
  message: v.optional(v.string()),
  durationMs: v.number(),
  checkedAt: instant,
  configured: v.optional(v.boolean()),
  credentials: v.optional(
    v.record(
      v.string(),
      v.object({
        type: v.nullable(v.string()),
        status: v.picklist(['healthy', 'warning', 'unhealthy']),
        message: v.optional(v.string()),
        workflows: v.array(v.string()),
        tested: v.optional(v.boolean()),
        testedAt: v.optional(instant),
      }),
    ),
  ),
  runs: v.optional(
    v.record(v.string(), v.object({ runs: v.number(), failed: v.number(), share: v.number() })),
  ),
  failingPolls: v.optional(
    v.array(
      v.object({
        workflowId: v.string(),
        triggerNodeId: v.string(),
        nodeType: v.string(),
        since: instant,
        message: v.string(),
        executionId: v.nullable(v.string()),
      }),
    ),
  ),
});

export const healthReport = v.object({
  status: v.picklist(['healthy', 'degraded', 'unhealthy']),
  checks: v.optional(v.object({ store: check, functions: v.record(v.string(), check) })),
  coverage: v.optional(
    v.nullable(
      v.object({
        workflows: v.object(read),
        credentials: v.object(read),
        polls: v.object(read),
        executions: v.object({ ...read, since: instant }),
      }),
    ),
  ),
  plugins: v.record(v.string(), pluginHealth),
  silences: v.optional(
    described(
      v.array(v.object({ workflowId: v.string(), ...silence.entries })),
      'Workflows that did not start when they should have; absent if the tables cannot be read',
    ),
  ),
  expiries: v.optional(
    described(
      v.array(
        v.object({
          kind: v.picklist(['credential', 'variable']),
          id: v.string(),
          expiresAt: instant,
          message: v.string(),
        }),
      ),
      'What expires within a week, or has expired; absent likewise',
    ),
  ),
  summary: v.object({
    total: v.number(),
    healthy: v.number(),
    warning: v.number(),
    unhealthy: v.number(),
    disabled: v.number(),
  }),
  generatedAt: instant,
});

export const healthRoute = defineRoute({
  route: 'GET /api/admin/plugins/health',
  summary: 'the health of all plugins, or of one; 503 if none works',
  query: v.object({ plugin: optional(text, 'Id of the only plugin to report') }),
  answers: { 200: healthReport, 503: healthReport },
  problems: ['PLUGIN_NOT_FOUND'],
});

export const liveHealthRoute = defineRoute({
  ...healthRoute,
  route: 'POST /api/admin/plugins/health/live',
  summary: 'the same with a live test of each credential, which may sign in at other systems',
});

export const storedDataRoute = defineRoute({
  route: 'GET /api/admin/stored-data',
  summary: 'whether this release reads the stored data, which executions wait to start, and what is silent',
  answers: {
    200: v.object({
      problem: v.nullable(v.object({ problem: v.string(), remedy: v.string() })),
      accepted: v.object({
        count: v.number(),
        oldest: v.nullable(
          v.object({
            executionId: v.string(),
            workflowId: v.string(),
            mode: v.picklist(['inline', 'durable', 'express']),
            since: instant,
          }),
        ),
      }),
      silences: described(
        v.array(v.object({ workflowId: v.string(), message: v.string() })),
        'At most 10, the longest first',
      ),
    }),
  },
});

export const testCredentialRoute = defineRoute({
  route: 'POST /api/admin/credentials/{credentialId}/test',
  summary: "the service's live test of one credential for calling out",
  answers: {
    200: v.object({
      credentialId: v.string(),
      type: v.string(),
      status: v.picklist(['healthy', 'warning', 'unhealthy', 'untested']),
      message: v.optional(v.string()),
    }),
  },
  problems: ['CREDENTIAL_NOT_FOUND'],
});

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

interface StoredDataParts extends AdminParts {
  readonly openStored: () => Promise<{
    readonly findProblem: () => Promise<{ readonly problem: string; readonly remedy: string } | null>;
    readonly findAccepted: () => Promise<AcceptedExecutions>;
    readonly findSilences: () => Promise<readonly Silence[]>;
  }>;
}

/** The routes of the function: the report, the live test of one credential, and the stored data. */
export const createHealthRoutes = (parts: HealthParts & TestParts & StoredDataParts) =>
  serveRoutes(parts, [...answerHealth(parts), answerCredentialTest(parts), answerStoredData(parts)]);

const MAX_SILENCES = 10;

/** Whether this release reads the stored data, which executions wait to start, and what is silent. */
const answerStoredData = (parts: StoredDataParts) =>
  answerRoute(storedDataRoute, async () => {
    const { findProblem, findAccepted, findSilences } = await parts.openStored();
    const found = await findProblem();
    const problem = found === null ? null : { problem: found.problem, remedy: found.remedy };
    const silences = (await findSilences()).slice(0, MAX_SILENCES);
    return answerJson(200, {
      problem,
      accepted: await findAccepted(),
      silences: silences.map(({ workflowId, message }) => ({ workflowId, message })),
    });
  });

/**
 * `POST /api/admin/credentials/{credentialId}/test`: runs the live test of a credential where workflows run, with their
 * network and permissions. The status is 200 whatever the result; 404 if the credential does not exist.
 */
const answerCredentialTest = (parts: TestParts) =>
  answerRoute(testCredentialRoute, async ({ params: { credentialId } }) => {
    const registry = await parts.loadRegistry();
    await registry.initialise();
    const { find, test } = await parts.openTests(registry);
    const credential = isId(credentialId) ? await find(credentialId) : null;
    if (credential === null) {
      const shown = isId(credentialId) ? credentialId : 'with this id';
      throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: `${shown} for calling out` });
    }
    const result = await withinDeadline(parts.clock, TEST_MS, (signal) => test(credentialId, signal)).catch(
      (error: unknown) => ({ status: 'unhealthy' as const, message: describeError(error) }),
    );
    const { status, message } = result ?? {
      status: 'untested' as const,
      message: 'its type has no live test',
    };
    const said = message === undefined ? {} : { message: describeError(message) };
    return answerJson(200, { credentialId, type: credential.type, status, ...said });
  });

/**
 * `GET /api/admin/plugins/health`, and `POST /api/admin/plugins/health/live` with live tests: 503 if no plugin works or the registry can't
 * be built. Checks end before the function's timeout.
 */
const answerHealth = (parts: HealthParts) => {
  const { logger, clock, pluginDeadlineMs, inspect } = parts;
  const keep = createKeeper<Awaited<ReturnType<typeof report>>>({ clock, ttlMs: KEPT_MS });

  const report = async (
    registry: Registry,
    { plugin, probe }: { readonly plugin: string | null; readonly probe: boolean },
    context: Partial<Context>,
  ) => {
    const remainingMs = () => (context.getRemainingTimeInMillis?.() ?? MAX_MS + MARGIN_MS) - MARGIN_MS;
    await registry.initialise(); // before the remaining time is read
    const deadlineMs = Math.max(0, Math.min(pluginDeadlineMs, remainingMs()));
    const rows = await checkPlugins(registry, { logger, clock, deadlineMs, plugin });
    const endsAt = clock.now() + Math.min(MAX_MS, remainingMs());
    const inspection = await inspect(registry, { plugin, probe, endsAt });
    return mergeInspection(rows, inspection, clock.now());
  };

  type HealthCall = RouteCall<typeof healthRoute | typeof liveHealthRoute>;
  const answerReport = async ({ query: { plugin }, context }: HealthCall, probe: boolean) => {
    const registry = await parts.loadRegistry().catch((cause: unknown) => {
      logger.error('The plugin registry could not be built.', { cause });
      return null;
    });
    if (registry === null) return answerJson(503, toReport([], clock.now()));
    if (plugin !== null && !registry.plugins.some(({ id }) => id === plugin))
      throw new AppError(PLUGIN_NOT_FOUND, { near: null });
    const wanted = { plugin, probe };
    const { value, expiresAt } = await keep(JSON.stringify(wanted), () => report(registry, wanted, context));
    const answer = answerJson(value.status === 'unhealthy' ? 503 : 200, value);
    return cacheFor(answer, expiresAt - clock.now());
  };

  return [
    answerRoute(healthRoute, (call) => answerReport(call, false)),
    answerRoute(liveHealthRoute, (call) => answerReport(call, true)),
  ];
};

/** Lets only the caller cache an answer: reports are protected by IAM. */
const cacheFor = <Given extends Answer>(answer: Given, ms: number): Given => ({
  ...answer,
  headers: { ...answer.headers, 'cache-control': `private, max-age=${Math.max(0, Math.ceil(ms / 1_000))}` },
});
