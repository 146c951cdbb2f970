import type { NodeRecord } from '../lib/engine/result.ts';
import {
  type ExecutionRecord,
  type ExecutionStatus,
  isFinal,
} from '../lib/executions/record/execution-store.ts';
import { CommandError } from './command-error.ts';
import { colourOf, describeFailure, describeNode, toIso } from './executions/execution-text.ts';
import type { Io } from './io.ts';

const POLL_MS = 500;

/**
 * Polls an execution until it ends, and prints each node as it starts, waits and ends.
 *
 * @param find - reads the record
 * @throws CommandError when the execution does not succeed
 * @throws AppError `EXECUTION_NOT_FOUND` when there is none, or its record has expired
 */
export const watchExecution = async (
  find: () => Promise<ExecutionRecord>,
  io: Pick<Io, 'print' | 'paintOut' | 'now' | 'sleep'>,
): Promise<void> => {
  const seen = new Map<string, NodeRecord['status']>();
  const print = (time: number, status: ExecutionStatus | NodeRecord['status'], text: string): void => {
    const colour = colourOf(status);
    io.print(`${toIso(time)}  ${colour === null ? text : io.paintOut(colour, text)}`);
  };
  for (let status: ExecutionStatus | null = null; ; await io.sleep(POLL_MS)) {
    const record = await find();
    for (const node of record.nodes) {
      const name = `${node.within ?? ''}/${node.nodeId}/${node.iteration}`;
      if (seen.get(name) === node.status) continue;
      seen.set(name, node.status);
      print(timeOf(node), node.status, describeNode(node));
    }
    if (record.status !== status) {
      status = record.status;
      const time = status === 'accepted' ? record.startedAt : (record.endedAt ?? io.now());
      print(time, status, `${record.executionId}: ${status}`);
    }
    if (status === 'succeeded') return;
    if (isFinal(status)) {
      const { failure } = record;
      throw new CommandError(failure === null ? `It ended as ${status}.` : describeFailure(failure));
    }
  }
};

/** The time of a node's last status change. */
const timeOf = ({ status, startedAt, durationMs }: NodeRecord): number =>
  status === 'running' || status === 'waiting' ? startedAt : startedAt + durationMs;
