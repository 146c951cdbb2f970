import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import { optional, text } from '../shared/query-fields.ts';
import { instant } from './answers.ts';

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
  summary: v.object({
    total: v.number(),
    healthy: v.number(),
    warning: v.number(),
    unhealthy: v.number(),
    disabled: v.number(),
  }),
  generatedAt: instant,
});

export const debugRoute = defineRoute({
  route: 'GET /api/admin/debug',
  summary: 'counts, runtime, version, node types, load errors',
  answers: {
    200: v.object({
      providerCount: v.number(),
      triggerCount: v.number(),
      actionCount: v.number(),
      serverTime: instant,
      runtime: v.object({
        node: v.string(),
        architecture: v.string(),
        region: v.string(),
        memoryMb: v.nullable(v.number()),
      }),
      build: v.object({ version: v.string(), stage: v.string() }),
      nodeTypes: v.array(v.string()),
      loadErrors: v.array(v.object({ id: v.string(), error: v.string() })),
    }),
  },
});

export const debugPluginsRoute = defineRoute({ ...debugRoute, route: 'GET /api/admin/plugins/debug' });

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
  summary: 'whether this release reads the stored data, and which executions wait to start',
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
