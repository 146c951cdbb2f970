import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeChange,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  type ReactFlowState,
  useReactFlow,
  useStore,
  useStoreApi,
} from '@xyflow/react';
import {
  type DragEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import '@xyflow/react/dist/base.css';
import '../../parts/graph/graph.css';
import './editor.css';
import { describeNext, describeNode } from '../../parts/graph/describe-nodes.ts';
import { FIT, Fitting } from '../../parts/graph/fitting.tsx';
import { NODE_SIZE, type OutputsOf } from '../../parts/graph/graph-layout.ts';
import { measureNode, outputPlace } from '../../parts/graph/node-handles.ts';
import { graphLabels, speakNodes } from '../../parts/graph/speak-nodes.ts';
import { isSameJson } from './definition/compare-json.ts';
import {
  type EditedConnection,
  type EditedDefinition,
  isPoint,
  type Point,
} from './definition/definition-edits.ts';
import { findPlaces } from './node-places.ts';
import { DRAGGED_TYPE } from './palette.tsx';

interface EditorCanvasProps {
  readonly definition: EditedDefinition;
  readonly outputsOf: OutputsOf;
  /** Ids of the nodes without an input. */
  readonly withoutInput: ReadonlySet<string>;
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
  readonly hasInput: boolean;
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

const NO_PLACES: ReadonlyMap<string, Point> = new Map();

/** Places of all nodes: their own, or those that the layout finds. */
const usePlaces = (definition: EditedDefinition, outputsOf: OutputsOf): ReadonlyMap<string, Point> => {
  const { nodes, connections } = definition;
  const isLaidOut = nodes.some(({ position }) => !isPoint(position));
  const shape = isLaidOut
    ? JSON.stringify([
        nodes.map(({ id }) => [id, outputsOf(id)]),
        connections?.map(({ sourceNodeId, sourceOutput, targetNodeId }) => [
          ...[sourceNodeId, sourceOutput, targetNodeId],
        ]),
      ])
    : '';
  const [found, setFound] = useState<{ readonly shape: string; readonly places: ReadonlyMap<string, Point> }>(
    () => ({
      shape,
      places: isLaidOut ? findPlaces(definition, outputsOf, NO_PLACES) : NO_PLACES,
    }),
  );
  let { places } = found;
  // A layout depends on nothing but the shape.
  if (isLaidOut && found.shape !== shape) {
    places = findPlaces(definition, outputsOf, places);
    setFound({ shape, places });
  }
  return useMemo(
    () =>
      new Map(
        nodes.map(({ id, position }) => [
          id,
          isPoint(position) ? position : (places.get(id) ?? { x: 0, y: 0 }),
        ]),
      ),
    [nodes, places],
  );
};

/** The nodes to show, as the same objects where nothing changed, since React Flow draws and measures every new object. */
const keepSame = (shown: readonly ShownNode[], next: readonly ShownNode[]): ShownNode[] => {
  const byId = new Map(shown.map((node) => [node.id, node]));
  return next.map((node) => {
    const former = byId.get(node.id);
    if (former === undefined) return node;
    return isShownAlike(former, node) ? former : { ...former, ...node };
  });
};

const isShownAlike = (one: ShownNode, other: ShownNode): boolean =>
  one.position.x === other.position.x &&
  one.position.y === other.position.y &&
  one.selected === other.selected &&
  one.ariaLabel === other.ariaLabel &&
  isSameJson(one.domAttributes, other.domAttributes) &&
  isSameJson(one.data, other.data);

/** The connections to show, each once, as the same objects where nothing changed, like the nodes. */
const useEdges = ({ nodes, connections = NO_CONNECTIONS }: EditedDefinition): Edge[] => {
  // A change within a node leaves the lines as they are.
  const ids = useSame(nodes.map(({ id }) => id));
  const drawn = useRef(NO_EDGES);
  return useMemo(() => {
    const known = new Set(ids);
    const next = new Map<string, Edge>();
    for (const connection of connections) {
      if (!known.has(connection.sourceNodeId) || !known.has(connection.targetNodeId)) continue;
      const id = edgeIdOf(connection);
      next.set(id, drawn.current.get(id) ?? toEdge(id, connection));
    }
    drawn.current = next;
    return [...next.values()];
  }, [ids, connections]);
};

/** Says all that is drawn of a connection, so that an edge never changes. */
const edgeIdOf = ({ sourceNodeId, sourceOutput = 'main', targetNodeId }: EditedConnection): string =>
  JSON.stringify([sourceNodeId, sourceOutput, targetNodeId]);

const toEdge = (
  id: string,
  { sourceNodeId, sourceOutput = 'main', targetNodeId }: EditedConnection,
): Edge => ({
  id,
  source: sourceNodeId,
  target: targetNodeId,
  sourceHandle: sourceOutput,
  type: 'smoothstep',
  focusable: false,
  markerEnd: MARKER,
  ...(sourceOutput === 'main' ? {} : { label: sourceOutput }),
});

const NO_EDGES: ReadonlyMap<string, Edge> = new Map();
const NO_CONNECTIONS: readonly EditedConnection[] = [];
const MARKER = { type: MarkerType.ArrowClosed };

/** The same object as long as the value is written alike. */
const useSame = <Value,>(value: Value): Value => {
  const [same, setSame] = useState(value);
  if (isSameJson(same, value)) return same;
  setSame(value);
  return value;
};

/** A graph of so many nodes is readable as a whole. */
const MAX_SMALL = 12;

/** The graph, to move and connect nodes by mouse; menus beside it do the same by keyboard. */
export const EditorCanvas = (props: EditorCanvasProps): ReactNode => {
  const { definition, outputsOf, withoutInput, faulty, selected } = props;
  const flow = useRef<ReactFlowInstance<ShownNode> | null>(null);
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
        latest.current.onSelect(ids);
      },
      onInit: (instance: ReactFlowInstance<ShownNode>) => {
        flow.current = instance;
      },
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes(DRAGGED_TYPE)) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        const type = event.dataTransfer.getData(DRAGGED_TYPE);
        const place = flow.current?.screenToFlowPosition({ x: event.clientX, y: event.clientY });
        if (type === '' || place === undefined) return;
        event.preventDefault();
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
          latest.current.onSelect(ids);
        }
        // The arrow keys move nodes, too, without a drag.
        const moved = changes.flatMap((change) =>
          change.type === 'position' && change.dragging === false && change.position !== undefined
            ? [[change.id, change.position] as const]
            : [],
        );
        if (moved.length > 0) latest.current.onMove(new Map(moved));
      },
      onConnect: ({ source, sourceHandle, target }: Connection) =>
        latest.current.onConnect({
          sourceNodeId: source,
          sourceOutput: sourceHandle ?? 'main',
          targetNodeId: target,
        }),
    }),
    [],
  );
  const isLarge = definition.nodes.length > 100;
  return useMemo(
    () => (
      <div className="graph editor-graph">
        <ReactFlowProvider>
          <ReactFlow<ShownNode>
            ref={speakNodes}
            ariaLabelConfig={LABELS}
            aria-label="Graph of the nodes"
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgesFocusable={false}
            deleteKeyCode={null}
            multiSelectionKeyCode={null}
            {...handlers}
            onlyRenderVisibleElements={isLarge}
            preventScrolling={false}
            zoomOnScroll={false}
            minZoom={0.05}
            maxZoom={1.5}
            fitView
            fitViewOptions={FIT}
            proOptions={PRO_OPTIONS}
          >
            <Fitting />
            <ShowAdded nodes={nodes} />
            {nodes.length === 0 && <Panel position="top-center">Add a node to begin.</Panel>}
            <Background />
            {nodes.length > MAX_SMALL && <Overview nodes={nodes} />}
            <Controls showInteractive={false} orientation="horizontal" position="bottom-left" />
          </ReactFlow>
        </ReactFlowProvider>
      </div>
    ),
    [nodes, edges, handlers, isLarge],
  );
};

/** The lower right corner of a node. */
const endOf = ({ x, y }: Point): Point => ({ x: x + NODE_SIZE.width, y: y + NODE_SIZE.height });

const isInView = ({ transform, width, height }: ReactFlowState, { x, y }: Point): boolean => {
  const [left, top, zoom] = transform;
  const place = { x: x * zoom + left, y: y * zoom + top };
  return place.x >= 0 && place.x <= width && place.y >= 0 && place.y <= height;
};

interface GraphProps {
  readonly nodes: readonly ShownNode[];
}

/** A map of the graph, while some of it is out of view. */
const Overview = ({ nodes }: GraphProps): ReactNode => {
  const [from, to] = useMemo(() => {
    const places = nodes.map(({ position }) => position);
    const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
    return [{ x: Math.min(...xs), y: Math.min(...ys) }, endOf({ x: Math.max(...xs), y: Math.max(...ys) })];
  }, [nodes]);
  const isCut = useStore((state) => !isInView(state, from) || !isInView(state, to));
  return isCut && <MiniMap ariaLabel="Overview of the graph" />;
};

/** Brings nodes that are added into view: with the whole of a small graph, otherwise without another scale. */
const ShowAdded = ({ nodes }: GraphProps): null => {
  const { fitView } = useReactFlow();
  const store = useStoreApi();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(nodes.map(({ id }) => id));
    const added = before === null ? [] : nodes.filter(({ id }) => !before.has(id));
    if (added.length === 0) return;
    const state = store.getState();
    const isSeen = added.every(
      ({ position }) => isInView(state, position) && isInView(state, endOf(position)),
    );
    const [, , zoom] = state.transform;
    const isSmall = nodes.length <= MAX_SMALL;
    if (!isSeen) void fitView(isSmall ? FIT : { nodes: added, minZoom: zoom, maxZoom: zoom });
  }, [nodes, fitView, store]);
  return null;
};

const LABELS = graphLabels('Enter selects it, the menu key opens its actions, arrow keys move it.');

const PRO_OPTIONS = { hideAttribution: true };
