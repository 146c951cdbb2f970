import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useLayoutEffect } from 'react';

/** How a whole graph is shown: never larger than it is drawn. */
export const FIT = { padding: 0.1, maxZoom: 1 } as const;

/** Below this scale, the text of a node can't be read, and its handles can't be hit. */
const FAR = 0.3;

/**
 * Shows all of the graph again when its place gets another width, as beside a panel that opens. From afar, it shows nodes
 * as boxes: drawing their text and handles takes most of the time that a large graph takes.
 */
export const Fitting = (): null => {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const domNode = useStore((state) => state.domNode);
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR);
  useEffect(() => {
    if (width > 0) void fitView(FIT);
  }, [width, fitView]);
  useLayoutEffect(() => {
    domNode?.toggleAttribute('data-far', isFar);
  }, [domNode, isFar]);
  return null;
};
