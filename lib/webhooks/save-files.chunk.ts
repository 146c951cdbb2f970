import type { JsonValue } from '@hookloom/plugin-kit';
import { nodeKeyOf } from '../engine/node-run.ts';
import type { ClaimedDelivery } from '../executions/deliveries/claim-delivery.ts';
import type { Ports } from '../executions/ports.ts';
import type { LifeDays } from '../executions/record/blob-store.ts';
import type { BodyFile, BodyFiles } from './webhook-feature.ts';

/**
 * Saves the files of the body as files of the trigger. The request has passed every check by now, so refused requests
 * leave no files. If the first delivery was interrupted, a repeated one saves them again under the same ids.
 *
 * @param life - how long the files live; null if the execution may be held or wait
 * @returns the delivery with the file values in its body
 * @throws AppError `FILE_TOO_LARGE` | `STORE_UNAVAILABLE`
 */
export const saveFiles = async (
  claimed: ClaimedDelivery,
  { files, toBody }: BodyFiles,
  life: LifeDays,
  { executions, filesFor }: Pick<Ports, 'executions' | 'filesFor'>,
): Promise<ClaimedDelivery> => {
  const { executionId, trigger, input } = claimed.execution;
  if (claimed.isKeyed && (await executions.find(executionId)) !== null) return claimed;
  const nodeKey = nodeKeyOf({ nodeId: trigger.nodeId, iteration: 0 });
  const { save } = filesFor({ executionId, retryOf: null, life })(nodeKey, new AbortController().signal);
  const body: JsonValue = toBody(await Promise.all(files.map((file) => save(toChunks(file), file))));
  return { ...claimed, execution: { ...claimed.execution, input: { ...input, body } } };
};

const toChunks = async function* ({ content }: BodyFile) {
  yield content;
};
