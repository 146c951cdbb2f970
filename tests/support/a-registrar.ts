import {
  CatalogueError,
  type EventSource,
  type JsonValue,
  OUTBOUND_FAILED,
  RegistrationRefused,
  type WorkflowNode,
} from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { adaptUnified } from '../../lib/plugins/adapt-provider.ts';
import { putWorkflow, putWorkflows, removeWorkflow } from '../../lib/triggers/registrations/put-workflow.ts';
import type { RegistrationStore } from '../../lib/triggers/registrations/registration-store.ts';
import { reconcileAll } from '../../lib/triggers/registrations/sweep-registrations.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import { aKillableProcess } from './a-killable-process.ts';
import { aManualClock } from './a-manual-clock.ts';
import { aHandle, aProvider } from './a-plugin.ts';
import { aRecordingLogger } from './a-recording-logger.ts';
import { aWorkflow } from './a-workflow.ts';
import { inMemoryRegistrations } from './in-memory-registrations.ts';
import { inMemoryWorkflowStore } from './in-memory-stores.ts';

interface Stores {
  readonly registrations: Partial<RegistrationStore>;
  readonly workflows: Partial<WorkflowStore>;
}

/**
 * Triggers that register at a system of this process: `bell`, one registration for each, and `tap`, which takes a resource.
 * Every call of a store and of the system can be the one before which the process is killed.
 *
 * @param options - `stores` of a database, or what differs from those in memory
 */
export const aRegistrar = ({ stores = {} }: { readonly stores?: Partial<Stores> } = {}) => {
  const clock = aManualClock();
  const { logger, entries } = aRecordingLogger();
  /** What the outside will send events for: the parameters, by the name of the registration. */
  const outside = new Map<string, string>();
  const { call, eachCall, killAfter } = aKillableProcess();
  /** The variables of the stage. */
  const variables = new Map<string, JsonValue>();

  const firedBy: EventSource = {
    toInput: (event) => event,
    toKey: ({ id }) => String(id),
    register: async ({ name, parameters }) => {
      if (parameters.tone === 'refused') throw new RegistrationRefused('there is no such tone', '/tone');
      if (parameters.tone === 'unreachable')
        throw new CatalogueError(OUTBOUND_FAILED, { target: 'POST bells.example', reason: 'it is closed' });
      await call(() => outside.set(name, JSON.stringify(parameters)));
    },
    unregister: async ({ name }) => void (await call(() => outside.delete(name))),
  };
  const types = new Map(
    adaptUnified(
      aProvider({
        handles: [
          aHandle({ id: 'bell', kind: 'trigger', pure: false, firedBy }),
          aHandle({
            id: 'tap',
            kind: 'trigger',
            pure: false,
            firedBy: { ...firedBy, resourceOf: ({ queue }) => `queue ${String(queue)}` },
          }),
        ],
      }),
    ).nodeTypes.map((type) => [type.nodeType, type]),
  );
  const findNodeType: FindNodeType = (nodeType) => types.get(nodeType) ?? null;

  const registrations = eachCall({ ...inMemoryRegistrations(clock), ...stores.registrations });
  const workflows = eachCall({ ...inMemoryWorkflowStore(clock.now), ...stores.workflows });
  const parts = {
    findNodeType,
    registrations,
    workflows,
    clock,
    logger,
    loadNodeTypes: async () => findNodeType,
    readVariables: async () => Object.fromEntries(variables),
    openContext: () => Promise.resolve(context),
  };
  return {
    parts,
    variables,
    clock,
    entries,
    outside,
    workflows,
    registrations,
    put: (definition: WorkflowDefinition) => putWorkflow(definition, parts),
    putAll: (definitions: readonly WorkflowDefinition[]) =>
      putWorkflows(
        definitions.map((definition) => ({ definition })),
        parts,
      ),
    remove: (workflowId: string) => removeWorkflow(workflowId, parts),
    sweep: () => reconcileAll(parts),
    killAfter,
  };
};

const context = {
  prefix: 'hookloom-test',
  partition: 'aws',
  region: 'local',
  accountId: '000000000000',
  dispatchArn: 'arn:aws:lambda:local:000000000000:function:hookloom-test-dispatch',
  now: () => 0,
  callAws: () => Promise.reject(new Error('the triggers of this test call nothing')),
  schedules: { put: async () => {}, remove: async () => {}, inspect: async () => 'on' as const },
};

export const aBell = (tone: string, changes: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id: 'bell',
  type: 'bell',
  parameters: { tone },
  ...changes,
});

export const aTap = (parameters: WorkflowNode['parameters'], id = 'tap'): WorkflowNode => ({
  id,
  type: 'tap',
  parameters,
});

export const aWorkflowOf = (nodes: readonly WorkflowNode[], changes: Partial<WorkflowDefinition> = {}) =>
  aWorkflow({ id: 'orders', nodes, connections: [], ...changes });
