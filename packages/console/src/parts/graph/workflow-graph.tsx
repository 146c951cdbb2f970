import Box from '@cloudscape-design/components/box';
import { lazy, type ReactNode, Suspense } from 'react';
import type { WorkflowGraphProps } from './graph-canvas.tsx';

const Canvas = lazy(() => import('./graph-canvas.tsx'));

/** The graph of a workflow, to pan and zoom; its code is loaded with the first one. */
export const WorkflowGraph = (props: WorkflowGraphProps): ReactNode => (
  <Suspense fallback={<Box padding="xxl">Drawing the graph</Box>}>
    <Canvas {...props} />
  </Suspense>
);
