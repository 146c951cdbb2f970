import { type Node, Position } from '@xyflow/react';
import { NODE_SIZE } from './graph-layout.ts';

/** How far down a node an output is, as a part of the node's height. */
export const outputPlace = (index: number, outputs: number): number => (index + 1) / (outputs + 1);

/**
 * What React Flow would measure of a node once it is drawn. A node that says it is measured no more, and its connections
 * are drawn at once.
 *
 * @param size - of a handle, in pixels
 */
export const measureNode = (
  outputs: readonly string[],
  hasInput: boolean,
  size: number,
): Pick<Node, 'width' | 'height' | 'measured' | 'handles'> => {
  const { width, height } = NODE_SIZE;
  const place = { width: size, height: size };
  return {
    ...NODE_SIZE,
    measured: NODE_SIZE,
    handles: [
      ...(hasInput
        ? [
            {
              ...place,
              type: 'target' as const,
              position: Position.Left,
              x: -size / 2,
              y: (height - size) / 2,
            },
          ]
        : []),
      ...outputs.map((id, index) => ({
        ...place,
        id,
        type: 'source' as const,
        position: Position.Right,
        x: width - size / 2,
        y: height * outputPlace(index, outputs.length) - size / 2,
      })),
    ],
  };
};
