import {
  applyNodeChanges,
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
} from '@xyflow/react';
import { type DragEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import '@xyflow/react/dist/base.css';
import '../../parts/graph/graph.css';
import './editor.css';
import { FIT, FitOnResize } from '../../parts/graph/fit-on-resize.tsx';
import { layOut, NODE_SIZE, type OutputsOf } from '../../parts/graph/graph-layout.ts';
import {
  type EditedConnection,
  type EditedDefinition,
  isPoint,
  type Point,
} from './definition/definition-edits.ts';
import { DRAGGED_TYPE } from './palette.tsx';

interface EditorCanvasProps {
  readonly definition: EditedDefinition;
  readonly outputsOf: OutputsOf;
  /** Ids of the nodes with a problem. */
  readonly faulty: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onMove: (places: ReadonlyMap<string, Point>) => void;
  readonly onConnect: (connection: EditedConnection) => void;
  /**
   * Called when a node type of the palette is dropped.
   *
   * @param into - the connection that it was dropped on; null for the free canvas
   */
  readonly onDropType: (type: string, place: Point, into: EditedConnection | null) => void;
  /** Called when someone asks for the menu of a node, by mouse or keyboard. @param place - in the window */
  readonly onMenu: (nodeId: string, place: Point) => void;
}

interface Shown extends Record<string, unknown> {
  readonly title: string;
  readonly detail: string;
  /** Joined, so that a node is drawn again only if one changes. */
  readonly outputs: string;
  readonly isDisabled: boolean;
  readonly isFaulty: boolean;
}

type ShownNode = Node<Shown, 'step'>;

const Step = memo(({ data }: NodeProps<ShownNode>): ReactNode => {
  const outputs = data.outputs.split('\n');
  return (
    <div
      className="graph-step"
      data-disabled={data.isDisabled || undefined}
      data-status={data.isFaulty ? 'failed' : undefined}
    >
      <Handle type="target" position={Position.Left} />
      <span className="graph-step-name">{data.title}</span>
      <span className="graph-step-detail">{data.detail}</span>
      {outputs.map((output, index) => (
        <Handle
          key={output}
          id={output}
          type="source"
          position={Position.Right}
          style={{ insetBlockStart: `${((index + 1) * 100) / (outputs.length + 1)}%` }}
          title={output}
        />
      ))}
    </div>
  );
});

const nodeTypes = { step: Step };

const MULTI_SELECTION_KEYS = ['Shift', 'Meta', 'Control'];

/** Places of all nodes: their own, or those that the layout finds. */
const usePlaces = (
  { nodes, connections }: EditedDefinition,
  outputsOf: OutputsOf,
): ReadonlyMap<string, Point> => {
  const isLaidOut = nodes.some(({ position }) => !isPoint(position));
  const shape = isLaidOut
    ? JSON.stringify([
        nodes.map(({ id }) => [id, outputsOf(id)]),
        connections?.map(({ sourceNodeId, sourceOutput, targetNodeId }) => [
          ...[sourceNodeId, sourceOutput, targetNodeId],
        ]),
      ])
    : '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: a layout depends on nothing but the shape
  const laidOut = useMemo(
    () =>
      new Map(
        isLaidOut
          ? layOut({ nodes, ...(connections === undefined ? {} : { connections }) }, outputsOf).nodes.map(
              ({ node, x, y }) => [node.id, { x, y }] as const,
            )
          : [],
      ),
    [shape],
  );
  return useMemo(
    () =>
      new Map(
        nodes.map(({ id, position }) => [
          id,
          isPoint(position) ? position : (laidOut.get(id) ?? { x: 0, y: 0 }),
        ]),
      ),
    [nodes, laidOut],
  );
};

/** The graph, to move and connect nodes by mouse; menus beside it do the same by keyboard. */
export const EditorCanvas = (props: EditorCanvasProps): ReactNode => {
  const { definition, outputsOf, faulty, selected, onSelect, onMove, onConnect } = props;
  const flow = useRef<ReactFlowInstance<ShownNode> | null>(null);
  const drop = (event: DragEvent) => {
    const type = event.dataTransfer.getData(DRAGGED_TYPE);
    const place = flow.current?.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    if (type === '' || place === undefined) return;
    event.preventDefault();
    const edge = (event.target as Element).closest<HTMLElement>('.react-flow__edge')?.dataset.id;
    const into = edge === undefined ? undefined : definition.connections?.[Number(edge)];
    const { width, height } = NODE_SIZE;
    props.onDropType(type, { x: place.x - width / 2, y: place.y - height / 2 }, into ?? null);
  };
  const places = usePlaces(definition, outputsOf);
  const stored = useMemo(
    () =>
      definition.nodes.map(
        ({ id, name, type, disabled }): ShownNode => ({
          id,
          type: 'step',
          position: places.get(id) ?? { x: 0, y: 0 },
          ...NODE_SIZE,
          selected: selected.has(id),
          ariaLabel: `${name ?? id}, ${type}${disabled === true ? ', disabled' : ''}${faulty.has(id) ? ', has a problem' : ''}`,
          data: {
            title: name ?? id,
            detail: `${type}${disabled === true ? ' · disabled' : ''}`,
            outputs: outputsOf(id).join('\n'),
            isDisabled: disabled === true,
            isFaulty: faulty.has(id),
          },
        }),
      ),
    [definition.nodes, places, selected, faulty, outputsOf],
  );
  // While nodes are dragged, only these have their places.
  const [nodes, setNodes] = useState(stored);
  useEffect(() => setNodes(stored), [stored]);
  const edges = useMemo(() => {
    const known = new Set(definition.nodes.map(({ id }) => id));
    return (definition.connections ?? []).flatMap(
      ({ sourceNodeId, sourceOutput = 'main', targetNodeId }, index): Edge[] =>
        known.has(sourceNodeId) && known.has(targetNodeId)
          ? [
              {
                id: String(index),
                source: sourceNodeId,
                target: targetNodeId,
                sourceHandle: sourceOutput,
                type: 'smoothstep',
                focusable: false,
                markerEnd: { type: MarkerType.ArrowClosed },
                ...(sourceOutput === 'main' ? {} : { label: sourceOutput }),
              },
            ]
          : [],
    );
  }, [definition]);
  return (
    <div className="graph editor-graph">
      <ReactFlowProvider>
        <ReactFlow<ShownNode>
          aria-label="Graph of the nodes"
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgesFocusable={false}
          deleteKeyCode={null}
          multiSelectionKeyCode={MULTI_SELECTION_KEYS}
          onInit={(instance) => {
            flow.current = instance;
          }}
          onDragOver={(event) => {
            if (event.dataTransfer.types.includes(DRAGGED_TYPE)) event.preventDefault();
          }}
          onDrop={drop}
          onNodeContextMenu={(event, { id }) => {
            event.preventDefault();
            const { left, bottom } = event.currentTarget.getBoundingClientRect();
            // A keyboard has no pointer.
            const isAtPointer = event.clientX > 0 || event.clientY > 0;
            props.onMenu(id, isAtPointer ? { x: event.clientX, y: event.clientY } : { x: left, y: bottom });
          }}
          onlyRenderVisibleElements={definition.nodes.length > 100}
          onNodesChange={(changes) => {
            setNodes((shown) => applyNodeChanges(changes, shown));
            const chosen = changes.filter((change) => change.type === 'select');
            if (chosen.length > 0) {
              const ids = new Set(selected);
              for (const { id, selected: isChosen } of chosen) isChosen ? ids.add(id) : ids.delete(id);
              onSelect(ids);
            }
            // The arrow keys move nodes, too, without a drag.
            const moved = changes.filter((change) => change.type === 'position' && change.dragging === false);
            if (moved.length > 0)
              onMove(
                new Map(
                  moved.flatMap((change) =>
                    change.type === 'position' && change.position !== undefined
                      ? [[change.id, change.position] as const]
                      : [],
                  ),
                ),
              );
          }}
          onConnect={({ source, sourceHandle, target }) =>
            onConnect({ sourceNodeId: source, sourceOutput: sourceHandle ?? 'main', targetNodeId: target })
          }
          preventScrolling={false}
          zoomOnScroll={false}
          minZoom={0.1}
          maxZoom={1.5}
          fitView
          fitViewOptions={FIT}
          proOptions={{ hideAttribution: true }}
        >
          <FitOnResize />
          <Background />
          <MiniMap ariaLabel="Overview of the graph" />
          <Controls showInteractive={false} orientation="horizontal" position="bottom-left" />
        </ReactFlow>
      </ReactFlowProvider>
    </div>
  );
};
