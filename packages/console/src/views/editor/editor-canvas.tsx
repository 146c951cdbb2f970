import {
  applyNodeChanges,
  type Connection,
  Controls,
  Handle,
  type NodeChange,
  type NodeProps,
  Panel,
  Position,
  useReactFlow,
} from '@xyflow/react';
import {
  type DragEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import '@xyflow/react/dist/base.css';
import '../../parts/graph/graph.css';
import './editor.css';
import { describeNext, describeNode } from '../../parts/graph/describe-nodes.ts';
import { Flow } from '../../parts/graph/flow.tsx';
import { NODE_SIZE, type OutputsOf } from '../../parts/graph/graph-layout.ts';
import { measureNode, outputPlace } from '../../parts/graph/node-handles.ts';
import { graphLabels } from '../../parts/graph/speak-nodes.ts';
import {
  connectNodes,
  type EditedConnection,
  type EditedDefinition,
  moveNodes,
  type Point,
} from './definition/definition-edits.ts';
import { MAX_SMALL, Overview, ShowAdded } from './graph-in-view.tsx';
import { DRAGGED_TYPE } from './palette.tsx';
import { edgeIdOf, keepSame, type ShownNode, useEdges, usePlaces } from './shown-graph.ts';
import { type Change, edited, selecting } from './use-work.ts';

export interface EditorCanvasProps {
  readonly definition: EditedDefinition;
  readonly outputsOf: OutputsOf;
  readonly withoutInput: ReadonlySet<string>;
  readonly faulty: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly draw: Change;
  /**
   * Called when a node type of the palette is dropped.
   *
   * @param into - the connection that it was dropped on; null for the free canvas
   */
  readonly onDropType: (type: string, place: Point, into: EditedConnection | null) => void;
  /** Called when someone asks for the menu of a node, by mouse or keyboard. @param place - in the window */
  readonly onMenu: (nodeId: string, place: Point) => void;
}

const Step = memo(({ data }: NodeProps<ShownNode>): ReactNode => {
  const outputs = data.outputs.split('\n');
  return (
    <div
      className="graph-step"
      data-disabled={data.isDisabled || undefined}
      data-status={data.isFaulty ? 'failed' : undefined}
    >
      {data.hasInput && <Handle type="target" position={Position.Left} />}
      <span className="graph-step-name">{data.title}</span>{' '}
      <span className="graph-step-detail">{data.detail}</span>
      {outputs.map((output, index) => (
        <Handle
          key={output}
          id={output}
          type="source"
          position={Position.Right}
          style={{ insetBlockStart: `${outputPlace(index, outputs.length) * 100}%` }}
          title={output}
        />
      ))}
    </div>
  );
});

const nodeTypes = { step: Step };

/**
 * The node that an event with Shift, Ctrl or Cmd is on: a click on it adds it to the selected ones or takes it away.
 * React Flow learns of a key after its event, and takes a click that moves by a pixel for a frame around nodes.
 */
const nodeToToggle = (event: MouseEvent): string | undefined =>
  event.shiftKey || event.ctrlKey || event.metaKey
    ? (event.target as Element).closest<HTMLElement>('.react-flow__node')?.dataset.id
    : undefined;

/** As in the style sheet. In pixels. */
const HANDLE_SIZE = 12;

/** The graph, to move and connect nodes by mouse; menus beside it do the same by keyboard. */
export const EditorCanvas = (props: EditorCanvasProps): ReactNode => {
  const { definition, outputsOf, withoutInput, faulty, selected, draw } = props;
  const { screenToFlowPosition } = useReactFlow();
  const places = usePlaces(definition, outputsOf);
  const next = useMemo(() => describeNext(definition), [definition]);
  const stored = useMemo(
    () =>
      definition.nodes.map(
        (node): ShownNode => ({
          id: node.id,
          type: 'step',
          position: places.get(node.id) ?? { x: 0, y: 0 },
          ...measureNode(outputsOf(node.id), !withoutInput.has(node.id), HANDLE_SIZE),
          selected: selected.has(node.id),
          ariaLabel: describeNode(node, faulty.has(node.id) ? ['has a problem'] : [], next.get(node.id)),
          ariaRole: 'button',
          domAttributes: { 'aria-pressed': selected.has(node.id) },
          data: {
            title: node.name ?? node.id,
            detail: `${node.type}${node.disabled === true ? ', disabled' : ''}`,
            outputs: outputsOf(node.id).join('\n'),
            hasInput: !withoutInput.has(node.id),
            isDisabled: node.disabled === true,
            isFaulty: faulty.has(node.id),
          },
        }),
      ),
    [definition.nodes, next, places, selected, withoutInput, faulty, outputsOf],
  );
  // While nodes are dragged, only these have their places.
  const [nodes, setNodes] = useState(stored);
  const [shown, setShown] = useState(stored);
  if (shown !== stored) {
    setShown(stored);
    const next = keepSame(nodes, stored);
    if (next.length !== nodes.length || next.some((node, index) => node !== nodes[index])) setNodes(next);
  }
  const edges = useEdges(definition);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  // A new handler makes React Flow look at all that it has drawn.
  const handlers = useMemo(
    () => ({
      onPointerDownCapture: (event: MouseEvent) => {
        if (event.button === 0 && nodeToToggle(event) !== undefined) event.stopPropagation();
      },
      onClickCapture: (event: MouseEvent) => {
        const id = nodeToToggle(event);
        if (id === undefined) return;
        event.stopPropagation();
        const ids = new Set(latest.current.selected);
        if (!ids.delete(id)) ids.add(id);
        draw(selecting(ids));
      },
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes(DRAGGED_TYPE)) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        const type = event.dataTransfer.getData(DRAGGED_TYPE);
        if (type === '') return;
        event.preventDefault();
        const place = screenToFlowPosition({ x: event.clientX, y: event.clientY });
        const { definition: current, onDropType } = latest.current;
        const edge = (event.target as Element).closest<HTMLElement>('.react-flow__edge')?.dataset.id;
        const into = current.connections?.find((connection) => edgeIdOf(connection) === edge);
        const { width, height } = NODE_SIZE;
        onDropType(type, { x: place.x - width / 2, y: place.y - height / 2 }, into ?? null);
      },
      onNodeContextMenu: (event: MouseEvent, { id }: ShownNode) => {
        event.preventDefault();
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        // A keyboard has no pointer.
        const isAtPointer = event.clientX > 0 || event.clientY > 0;
        latest.current.onMenu(
          id,
          isAtPointer ? { x: event.clientX, y: event.clientY } : { x: left, y: bottom },
        );
      },
      onNodesChange: (changes: NodeChange<ShownNode>[]) => {
        setNodes((before) => applyNodeChanges(changes, before));
        const chosen = changes.filter((change) => change.type === 'select');
        if (chosen.length > 0) {
          const ids = new Set(latest.current.selected);
          for (const { id, selected: isChosen } of chosen) isChosen ? ids.add(id) : ids.delete(id);
          draw(selecting(ids));
        }
        // The arrow keys move nodes, too, without a drag.
        const moved = changes.flatMap((change) =>
          change.type === 'position' && change.dragging === false && change.position !== undefined
            ? [[change.id, change.position] as const]
            : [],
        );
        if (moved.length > 0) draw(edited(moveNodes(new Map(moved))));
      },
      onConnect: ({ source, sourceHandle, target }: Connection) =>
        draw(
          edited(
            connectNodes({
              sourceNodeId: source,
              sourceOutput: sourceHandle ?? 'main',
              targetNodeId: target,
            }),
          ),
        ),
    }),
    [screenToFlowPosition, draw],
  );
  return useMemo(
    () => (
      <div className="graph editor-graph">
        <Flow<ShownNode>
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          ariaLabelConfig={LABELS}
          multiSelectionKeyCode={null}
          {...handlers}
        >
          <ShowAdded nodes={nodes} />
          {nodes.length === 0 && <Panel position="top-center">Add a node to begin.</Panel>}
          {nodes.length > MAX_SMALL && <Overview nodes={nodes} />}
          <Controls showInteractive={false} orientation="horizontal" position="bottom-left" />
        </Flow>
      </div>
    ),
    [nodes, edges, handlers],
  );
};

const LABELS = graphLabels('Enter selects it, the menu key opens its actions, arrow keys move it.');
