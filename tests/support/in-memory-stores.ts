import { isDeepStrictEqual } from 'node:util';
import type { Credential } from '../../lib/credentials/credential.ts';
import type { CredentialStore } from '../../lib/credentials/credential-store.ts';
import { AppError } from '../../lib/errors.ts';
import type { ExecutionRecord, ExecutionStore } from '../../lib/executions/execution-store.ts';
import type { Workflow } from '../../lib/workflows/definition.ts';
import type { PublishedWorkflow, WorkflowStore } from '../../lib/workflows/workflow-store.ts';

/** Keeps every version; what is handed out can be changed by nobody but the store. */
export const inMemoryWorkflowStore = (now: () => number = () => 0): WorkflowStore => {
  const versions = new Map<string, Workflow[]>();
  const published = new Map<string, PublishedWorkflow>();
  return {
    find: async (workflowId) => copy(published.get(workflowId) ?? null),
    findVersion: async (workflowId, version) => copy(versions.get(workflowId)?.[version - 1] ?? null),
    put: async (definition, pathConfigs, replaces) => {
      const current = published.get(definition.id);
      if (replaces !== undefined && replaces !== current?.version) {
        throw new AppError('WORKFLOW_CHANGED', { workflowId: definition.id });
      }
      if (current !== undefined && isDeepStrictEqual(current.definition, definition)) {
        return { version: current.version, changed: false };
      }
      const before = versions.get(definition.id) ?? [];
      const version = before.length + 1;
      const workflow = copy({ version, updatedAt: new Date(now()).toISOString(), definition });
      versions.set(definition.id, [...before, workflow]);
      published.set(definition.id, { ...workflow, pathConfigs: copy(pathConfigs) });
      return { version, changed: true };
    },
    remove: async (workflowId) => published.delete(workflowId),
    list: async () =>
      [...published.values()].map(({ definition: { id, name, enabled }, version, updatedAt }) => ({
        id,
        name,
        enabled,
        version,
        updatedAt,
      })),
  };
};

export const inMemoryCredentialStore = (): CredentialStore => {
  const credentials = new Map<string, Credential>();
  return {
    find: async (credentialId) => copy(credentials.get(credentialId) ?? null),
    put: async (credential) => {
      const revision = credentials.get(credential.id)?.revision ?? 0;
      if (credential.revision !== revision + 1) {
        throw new AppError('CREDENTIAL_CHANGED', { credentialId: credential.id });
      }
      credentials.set(credential.id, copy(credential));
    },
    list: async () => copy([...credentials.values()]),
  };
};

/** `records` is for tests that ask what was stored without knowing the execution's id. */
export const inMemoryExecutionStore = (): ExecutionStore & { records(): readonly ExecutionRecord[] } => {
  const records = new Map<string, ExecutionRecord>();
  return {
    start: async (start) => {
      if (records.has(start.executionId)) return false;
      records.set(start.executionId, {
        ...copy(start),
        status: 'running',
        endedAt: null,
        nodes: [],
        nodesOmitted: 0,
        failure: null,
      });
      return true;
    },
    finish: async (executionId, end) => {
      const record = records.get(executionId);
      if (record?.status !== 'running') return false;
      records.set(executionId, { ...record, ...copy(end) });
      return true;
    },
    find: async (executionId) => copy(records.get(executionId) ?? null),
    records: () => [...records.values()],
  };
};

const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
