/** Names of what React Flow adds to a graph. @param use - what the keys do with a node; empty for nothing */
export const graphLabels = (use: string) => ({
  // It says this one if the keys work.
  'node.a11yDescription.keyboardDisabled': use,
  'controls.ariaLabel': 'Zoom',
  'controls.zoomIn.ariaLabel': 'Zoom in',
  'controls.zoomOut.ariaLabel': 'Zoom out',
  'controls.fitView.ariaLabel': 'Show the whole graph',
});

/**
 * Makes the nodes of a graph a part of the page: React Flow calls it an application, which screen readers pass over when
 * they read a page. The names of the nodes have what its lines say.
 *
 * @param graph - the element of `ReactFlow`
 */
export const speakNodes = (graph: HTMLElement | null): void => {
  graph?.setAttribute('role', 'group');
  for (const part of graph?.querySelectorAll('.react-flow__edges, .react-flow__background') ?? [])
    part.setAttribute('aria-hidden', 'true');
};
