import type { NodeRun } from './node-run.ts';
import { toNodeRecord } from './outcome.ts';
import { failOpenNodes, type NodeRecord, nodeKeyOf } from './result.ts';

/** The records of one run, in the order in which its nodes started. */
export class RunRecords {
  /** Of an open node run, the run itself. */
  readonly #entries: (NodeRecord | NodeRun)[] = [];
  /** Open node runs, with their places in the entries. */
  readonly #open = new Map<NodeRun, number>();
  /** Inner runs by the key of their node run, in the order of their creation. */
  readonly #inner = new Map<string, { collect(): NodeRecord[] }[]>();

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** The first of the running nodes. */
  get currentNodeId(): string {
    const [first] = this.#open.keys();
    return first?.planNode.node.id ?? '';
  }

  add(record: NodeRecord): void {
    this.#entries.push(record);
  }

  open(run: NodeRun): void {
    this.#open.set(run, this.#entries.push(run) - 1);
  }

  close(run: NodeRun, record: NodeRecord): void {
    this.#entries[this.#open.get(run) ?? -1] = record;
    this.#open.delete(run);
  }

  addInner(key: string, run: { collect(): NodeRecord[] }): void {
    this.#inner.set(key, [...(this.#inner.get(key) ?? []), run]);
  }

  /** Fails the nodes that are running, those of inner runs included. */
  failOpen(endedAt: number, reason: Error): void {
    const records = failOpenNodes(this.collect(), endedAt, reason);
    this.#inner.clear(); // theirs are among the records
    this.#open.clear();
    this.#entries.splice(0, this.#entries.length, ...records);
  }

  /** All records; those of inner runs follow their node. */
  collect(): NodeRecord[] {
    const records = this.#entries.map((entry) =>
      'planNode' in entry ? (entry.outcome?.record ?? toNodeRecord(entry, openStatusOf(entry))) : entry,
    );
    if (this.#inner.size === 0) return records;
    return records.flatMap((record) => [
      record,
      ...(this.#inner.get(nodeKeyOf(record)) ?? []).flatMap((run) => run.collect()),
    ]);
  }
}

const openStatusOf = ({ planNode }: NodeRun): 'waiting' | 'running' =>
  planNode.nodeType.control?.suspends === true ? 'waiting' : 'running';
