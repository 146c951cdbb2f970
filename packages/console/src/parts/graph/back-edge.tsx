import { BaseEdge, type EdgeProps } from '@xyflow/react';
import type { ReactNode } from 'react';
import { NODE_SIZE } from './graph-layout.ts';

const TURN = 28;

type Ends = Pick<EdgeProps, 'sourceX' | 'sourceY' | 'targetX' | 'targetY'>;

/** How far down a connection of a loop is drawn: below both of its nodes. */
const lowestOf = ({ sourceY, targetY }: Ends): number =>
  Math.max(sourceY, targetY) + NODE_SIZE.height / 2 + 14;

/** The path of a connection of a loop, which goes back below the nodes, where it can't be mistaken for one ahead. */
export const backPath = (ends: Ends): string => {
  const { sourceX, sourceY, targetX, targetY } = ends;
  return `M ${sourceX} ${sourceY} H ${sourceX + TURN} V ${lowestOf(ends)} H ${targetX - TURN} V ${targetY} H ${targetX}`;
};

export const BackEdge = (props: EdgeProps): ReactNode => {
  const { sourceX, targetX, label, markerEnd } = props;
  return (
    <BaseEdge
      path={backPath(props)}
      label={label}
      labelX={(sourceX + targetX) / 2}
      labelY={lowestOf(props)}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
};
