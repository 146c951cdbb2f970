import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import { isPlainObject, type JsonObject } from '../../lib/contract/json.ts';
import type { FindNodeType } from '../../lib/contract/node-type.ts';
import { findExecution } from '../../lib/executions/lifecycle/find-execution.ts';
import type { BlobStore } from '../../lib/executions/record/blob-store.ts';
import { unpackText } from '../../lib/executions/record/pack-value.ts';
import { startByHand } from '../../lib/triggers/start-by-hand.ts';
import type { TargetContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import type { Io } from '../io.ts';
import { parseJson } from '../parse-json.ts';
import { readText } from '../read-workflow.ts';
import { watchExecution } from '../watch-execution.ts';

export interface RunOptions {
  /** The node to start from; absent: the only trigger. */
  readonly trigger?: string | null;
  /** A file with the input; `-` is standard input; absent: `{}`. */
  readonly input?: string;
  readonly wait?: boolean;
}

/**
 * Starts a workflow by hand. With `wait`, follows it to its end on standard error, and prints its output.
 *
 * @throws CommandError when the input is wrong, or the execution does not succeed
 * @throws AppError, see {@link startByHand}
 */
export const runWorkflow = async (
  workflowId: string,
  { trigger = null, input, wait = false }: RunOptions,
  { io, target, findNodeType }: TargetContext & { readonly findNodeType: FindNodeType },
): Promise<void> => {
  const start = {
    ...{ workflowId, triggerNodeId: trigger, input: await readInput(input, io) },
    ...{ key: null, content: '', traceparent: null, keepsResult: wait },
  };
  const { executionId, workflowVersion } = await startByHand(start, {
    ...target,
    ...{ blobs: largeValues, ids: randomIds, clock: io, logger: silent, windowMs: 0 },
    loadNodeTypes: async () => findNodeType,
  });
  const accepted = `${executionId}: accepted, version ${workflowVersion} of ${workflowId}`;
  if (!wait) {
    io.print(accepted);
    io.note(`Follow it with: execution watch ${executionId}`);
    return;
  }
  io.note(accepted);
  const find = () => findExecution(executionId, target);
  await watchExecution(find, { ...io, print: io.note, paintOut: io.paint });
  const { result } = await find();
  if (result === null) return;
  const { output } = JSON.parse(await unpackText(result, largeValues));
  io.print(JSON.stringify(output, null, 2));
};

/** @throws CommandError */
const readInput = async (file: string | undefined, io: Io): Promise<JsonObject> => {
  if (file === undefined) return {};
  const name = file === '-' ? 'stdin' : file;
  const input = parseJson(file === '-' ? await io.readStdin() : await readText(file, io.env), name);
  if (isPlainObject(input)) return input as JsonObject;
  throw new CommandError(`${name}: the input of a trigger is a JSON object`);
};

/** What does not fit into a record is in the bucket of the service, which commands do not reach. */
const largeValues: BlobStore = {
  put: () => {
    throw new CommandError(
      'The input is too large for a command: send it to POST /api/admin/workflows/ID/executions.',
    );
  },
  get: () => {
    throw new CommandError('It succeeded; its output is too large to be shown here.');
  },
};

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
