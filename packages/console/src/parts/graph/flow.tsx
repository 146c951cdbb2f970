import { Background, type Edge, type Node, ReactFlow, type ReactFlowProps } from '@xyflow/react';
import type { ReactNode } from 'react';
import { FIT, Fitting } from './fitting.tsx';
import { FarConnections, useIsFar } from './from-afar.tsx';
import { speakNodes } from './speak-nodes.ts';

type FlowProps<Shown extends Node> = ReactFlowProps<Shown> &
  Required<Pick<ReactFlowProps<Shown>, 'nodes' | 'edges'>>;

/**
 * A graph as every view has it: nodes have the focus, not connections; the wheel scrolls the page; from afar there is less
 * to draw. Stands within a `ReactFlowProvider`.
 */
export const Flow = <Shown extends Node>({ children, ...props }: FlowProps<Shown>): ReactNode => {
  const { nodes, edges } = props;
  const isFar = useIsFar();
  return (
    <ReactFlow<Shown>
      ref={speakNodes}
      aria-label="Graph of the nodes"
      edgesFocusable={false}
      deleteKeyCode={null}
      onlyRenderVisibleElements={nodes.length > 100}
      preventScrolling={false}
      zoomOnScroll={false}
      minZoom={0.05}
      maxZoom={1.5}
      fitView
      fitViewOptions={FIT}
      proOptions={PRO_OPTIONS}
      {...props}
      data-far={isFar || undefined}
      edges={isFar ? NO_EDGES : edges}
    >
      <Fitting />
      {isFar && <FarConnections nodes={nodes} edges={edges} />}
      <Background />
      {children}
    </ReactFlow>
  );
};

const NO_EDGES: Edge[] = [];

const PRO_OPTIONS = { hideAttribution: true };
