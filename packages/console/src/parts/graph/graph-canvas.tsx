import {
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlowProvider,
} from '@xyflow/react';
import { type KeyboardEvent, memo, type ReactNode, useMemo } from 'react';
import { nameStatus } from '../execution-status.tsx';
import '@xyflow/react/dist/base.css';
import './graph.css';
import { BackEdge } from './back-edge.tsx';
import { describeNext, describeNode } from './describe-nodes.ts';
import { Flow } from './flow.tsx';
import { type DrawnNode, type DrawnWorkflow, layOut, NODE_SIZE } from './graph-layout.ts';
import { measureNode } from './node-handles.ts';
import { graphLabels } from './speak-nodes.ts';

/** What a graph says of one node besides its name and type. */
interface NodeMark {
  /** The status of its run: `succeeded`; absent if it has none. */
  readonly status?: string;
  /** A short text below its name: a duration, a count of attempts. */
  readonly text?: string;
  /** How it differs from the version that it is compared with. */
  readonly change?: 'added' | 'removed' | 'changed';
}

export interface WorkflowGraphProps {
  readonly definition: DrawnWorkflow;
  /** By node id. */
  readonly marks?: Readonly<Record<string, NodeMark>>;
  /** The id of the selected node. */
  readonly selected?: string | null;
  readonly onSelect?: (nodeId: string, isByKey: boolean) => void;
  /** In pixels, at most: a flat graph takes less. */
  readonly height?: number;
}

interface Shown extends Record<string, unknown> {
  readonly node: DrawnNode;
  readonly mark: NodeMark;
}

type ShownNode = Node<Shown, 'step'>;

const WORDS: Readonly<Record<string, string>> = {
  succeeded: '✓',
  failed: '✗',
  timedOut: '✗',
  running: '…',
  waiting: '‖',
  skipped: '–',
  passedThrough: '→',
};

const Step = memo(({ data: { node, mark } }: NodeProps<ShownNode>): ReactNode => {
  const { id, name, type, disabled } = node;
  const details = [type, ...(disabled === true ? ['disabled'] : [])];
  return (
    <div
      className="graph-step"
      data-status={mark.status}
      data-change={mark.change}
      data-disabled={disabled || undefined}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className="graph-step-name">
        {mark.status !== undefined && (
          <span className="graph-step-sign" aria-hidden>
            {WORDS[mark.status] ?? '•'}
          </span>
        )}
        {name ?? id}
      </span>{' '}
      <span className="graph-step-detail">{details.join(', ')}</span>{' '}
      {mark.text !== undefined && <span className="graph-step-detail">{mark.text}</span>}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

const nodeTypes = { step: Step };

/** The handles are not seen, and as small as React Flow makes them. */
const MEASURED = measureNode(['main'], true, 5);

const edgeTypes = { back: BackEdge };

/** What a mark says, in words. */
const describeMark = ({ text = '', status, change }: NodeMark): readonly string[] => [
  ...(text === '' ? [] : [text]),
  ...(status === undefined ? [] : [nameStatus(status)]),
  ...(change === undefined ? [] : [change]),
];

const NO_MARKS: Readonly<Record<string, NodeMark>> = {};

const SELECTABLE = graphLabels('Enter shows the node.');
const FIXED = graphLabels('');

/** Has room for the controls. */
const MIN_HEIGHT = 200;

/** The graph itself: nodes can be reached with Tab and selected with Enter; nothing can be moved or connected. */
const GraphCanvas = ({
  definition,
  marks = NO_MARKS,
  selected = null,
  onSelect,
  height = 420,
}: WorkflowGraphProps): ReactNode => {
  const isSelectable = onSelect !== undefined;
  const { nodes: placed, connections } = useMemo(() => layOut(definition), [definition]);
  const next = useMemo(() => describeNext(definition), [definition]);
  const nodes = useMemo(
    () =>
      placed.map(
        ({ node, x, y }): ShownNode => ({
          id: node.id,
          type: 'step',
          position: { x, y },
          ...MEASURED,
          data: { node, mark: marks[node.id] ?? {} },
          selected: node.id === selected,
          ariaLabel: describeNode(node, describeMark(marks[node.id] ?? {}), next.get(node.id)),
          ...(isSelectable
            ? { ariaRole: 'button', domAttributes: { 'aria-pressed': node.id === selected } }
            : {}),
        }),
      ),
    [placed, next, marks, selected, isSelectable],
  );
  const edges = useMemo(
    () =>
      connections.map(
        ({ label, change, isBack, ...connection }): Edge => ({
          ...connection,
          type: isBack ? 'back' : 'smoothstep',
          focusable: false,
          markerEnd: { type: MarkerType.ArrowClosed },
          ...(label === null ? {} : { label }),
          ...(change === null ? {} : { className: `graph-edge-${change}` }),
        }),
      ),
    [connections],
  );
  const lowest = Math.max(0, ...placed.map(({ y }) => y + NODE_SIZE.height));
  const selectByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    const id = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset.id;
    if (id === undefined) return;
    event.preventDefault();
    onSelect?.(id, true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes in it have the focus, and the keys
    <div
      className="graph"
      style={{ blockSize: Math.min(height, Math.max(MIN_HEIGHT, lowest + 120)) }}
      onKeyDown={selectByKey}
    >
      <ReactFlowProvider>
        <Flow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          // Screen readers click, too: no button was pressed then.
          onNodeClick={({ detail }, { id }) => onSelect?.(id, detail === 0)}
          nodesDraggable={false}
          nodesConnectable={false}
          elementsSelectable={isSelectable}
          ariaLabelConfig={isSelectable ? SELECTABLE : FIXED}
        >
          <Controls showInteractive={false} orientation="horizontal" position="bottom-right" />
        </Flow>
      </ReactFlowProvider>
    </div>
  );
};

export default GraphCanvas;
