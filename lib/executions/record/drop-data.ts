import type { NodeRecord } from '../../engine/result.ts';

/** The engine's node records for storage, without their data. */
export const dropData = (nodes: readonly NodeRecord[]): readonly NodeRecord[] =>
  nodes.map(({ input: _input, outputs: _outputs, failure, ...record }) => {
    if (failure === undefined) return record;
    const { details: _details, ...shown } = failure;
    return { ...record, failure: shown };
  });
