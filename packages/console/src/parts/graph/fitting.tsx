import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';

/** How a whole graph is shown: never larger than it is drawn. */
export const FIT = { padding: 0.1, maxZoom: 1 } as const;

/** Shows all of the graph again when its place gets another width, as beside a panel that opens. */
export const Fitting = (): null => {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  useEffect(() => {
    if (width > 0) void fitView(FIT);
  }, [width, fitView]);
  return null;
};
