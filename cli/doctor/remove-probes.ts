import type { Clock } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { DurableService } from '../../lib/executions/lifecycle/durable-service.ts';
import { toBlobKey } from '../../lib/executions/record/blob-store.ts';
import { type ExecutionStore, isFinal } from '../../lib/executions/record/execution-store.ts';
import { type Pong, PROBE_PREFIX } from '../../lib/health/ping.ts';
import { removeWorkflow } from '../../lib/registrations/put-workflow.ts';
import type { RegistrarParts } from '../../lib/registrations/registrar.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import type { DoctorParts } from './open-doctor.ts';

interface RemovalParts {
  readonly target: {
    readonly workflows: WorkflowStore;
    readonly executions: ExecutionStore;
    readonly registrar: RegistrarParts;
    readonly durableService: Pick<DurableService, 'stop'>;
    readonly doctor: Pick<DoctorParts, 'purge' | 'removeBlob'>;
  };
  readonly io: Pick<Clock, 'now'>;
  readonly findNodeType: FindNodeType;
  readonly pongs: ReadonlyMap<string, Pong>;
}

/** Exceeds the longest run of the doctor: anything older was left behind. */
const LEFT_AFTER_MS = 900_000;

/** Removes probes of earlier runs of the doctor that ended before removing them. */
export const removeLeftProbes = async (parts: RemovalParts): Promise<void> => {
  const { target, io } = parts;
  for (const { id, updatedAt } of await target.workflows.list())
    if (id.startsWith(PROBE_PREFIX) && Date.parse(updatedAt) < io.now() - LEFT_AFTER_MS)
      await removeProbe(id, parts);
};

/** Removes a probe with its registrations, runs, records and blobs. */
export const removeProbe = async (
  id: string,
  { target, findNodeType, pongs }: RemovalParts,
): Promise<void> => {
  await removeWorkflow(id, findNodeType, { ...target.registrar, workflows: target.workflows });
  const { executions } = await target.executions.list({ workflowId: id, limit: 100 });
  for (const { executionId } of executions) {
    const record = await target.executions.find(executionId);
    const { leaseOwner = null } = record ?? {};
    if (record !== null && !isFinal(record.status) && leaseOwner?.startsWith('arn:') === true)
      await target.durableService.stop(leaseOwner, 'its probe has ended').catch(() => undefined);
  }
  const bucket = pongs.get('webhook')?.config.blobBucket ?? null;
  for (const executionId of await target.doctor.purge(
    id,
    executions.map((one) => one.executionId),
  ))
    for (const isBrief of [true, false])
      await target.doctor.removeBlob(toBlobKey(executionId, 'input', isBrief), bucket);
};
