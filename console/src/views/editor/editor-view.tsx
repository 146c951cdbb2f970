import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import LiveRegion from '@cloudscape-design/components/live-region';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import {
  type Dispatch,
  lazy,
  type ReactNode,
  type SetStateAction,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation, useParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { useApi } from '../../api/use-api.ts';
import JsonEditor from '../../parts/json-editor.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readOnlyReason } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import {
  changeNode,
  connect,
  type Edit,
  type EditedDefinition,
  type Fragment,
  moveNodes,
  type Point,
  pasteFragment,
  takeFragment,
  tidyLayout,
} from './definition/definition-edits.ts';
import { writeDefinition } from './definition/definition-text.ts';
import { describeStep } from './describe-step.ts';
import {
  createDraft,
  type Draft,
  editGraph,
  editText,
  endGroup,
  type History,
  openDraft,
  redo,
  startHistory,
  undo,
} from './draft.ts';
import { EditorCanvas } from './editor-canvas.tsx';
import { GraphKeys } from './graph-keys.tsx';
import { loadDraft } from './kept-draft.ts';
import { findNodeActions } from './node-actions.ts';
import { NodeEditor } from './node-editor.tsx';
import { NodeMenu } from './node-menu.tsx';
import { findOutputs, findWithoutInput, useTypes } from './node-types.ts';
import { NodeTypeSearch, Palette } from './palette.tsx';
import { ProblemList } from './problem-list.tsx';
import type { NodeProblems } from './problems.ts';
import { SavingAlerts } from './saving-alerts.tsx';
import { WorkflowFields } from './settings-forms.tsx';
import { NodeDataPanel } from './trial/node-data-panel.tsx';
import { TrialBar } from './trial/trial-bar.tsx';
import { useTrial } from './trial/use-trial.ts';
import { useAdding } from './use-adding.ts';
import { useFindings } from './use-findings.ts';
import { type Base, type StoredVersion, useSaving } from './use-saving.ts';

const Start = lazy(() => import('./start/start.tsx'));

const NEW: Base = {
  version: null,
  text: writeDefinition({
    id: 'my-workflow',
    name: 'My workflow',
    enabled: true,
    nodes: [],
    connections: [],
  }),
};

/** Draws a workflow, or writes its JSON. */
const EditorView = (): ReactNode => {
  const { workflowId = '' } = useParams();
  if (readOnlyReason !== null)
    return (
      <SpaceBetween size="m">
        <Header variant="h1">Edit a workflow</Header>
        <Alert type="info">{readOnlyReason}</Alert>
      </SpaceBetween>
    );
  return workflowId === '' ? (
    <Opened key="" workflowId="" base={NEW} />
  ) : (
    <Stored key={workflowId} workflowId={workflowId} />
  );
};

const Stored = ({ workflowId }: { readonly workflowId: string }): ReactNode => {
  const query = useApi('GET /api/admin/workflows/{workflowId}', { params: { workflowId } });
  return (
    <Loaded query={query} heading={`Edit ${workflowId}`}>
      {({ version, definition }) => (
        <Opened
          workflowId={workflowId}
          base={{ version, text: writeDefinition(definition as unknown as EditedDefinition) }}
        />
      )}
    </Loaded>
  );
};

const open = (text: string): Draft => {
  const draft = openDraft(text);
  if (draft !== null) return draft;
  // Kept text that can't be read is shown with an empty graph.
  return createDraft(text, { nodes: [], connections: [] }, 'the text has no workflow');
};

interface OpenedProps {
  /** Empty for a new workflow. */
  readonly workflowId: string;
  readonly base: Base;
}

const NO_IDS: ReadonlySet<string> = new Set();

const Opened = ({ workflowId, base: current }: OpenedProps): ReactNode => {
  const [, navigate] = useLocation();
  const [kept] = useState(() => loadDraft(workflowId));
  const [history, setHistory] = useHistory(() => open(kept?.text ?? current.text));
  const [selected, setSelected] = useState(NO_IDS);
  const [isStarting, setStarting] = useState(workflowId === '');
  const [menu, setMenu] = useState<Point | null>(null);
  const [menuFailure, setMenuFailure] = useState<Error | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  /** Another object each time that the focus moves into the panel of a node. */
  const [entered, setEntered] = useState<object | null>(null);
  const { definition, problem } = history.present;

  const types = useTypes(definition);
  const literalsOf = useCallback((type: string) => types.get(type)?.literalParameters ?? [], [types]);
  const outputs = useMemo(() => findOutputs(definition, types), [definition, types]);
  const withoutInput = useMemo(() => findWithoutInput(definition, types), [definition, types]);
  const outputsOf = useCallback((id: string) => outputs.get(id) ?? ['main'], [outputs]);

  const edit = useCallback((change: Edit) => setHistory((before) => editGraph(before, change)), [setHistory]);
  const paste = (fragment: Fragment) => {
    const pasted = pasteFragment(definition, fragment, literalsOf);
    edit(pasted.edit);
    setSelected(pasted.ids);
  };
  const adding = useAdding({
    ...{ definition, onEdit: edit, onSelect: setSelected },
    onAnswered: () => setEntered({}),
  });
  const [step, setStep] = useState({ history, said: '' });
  if (step.history !== history)
    setStep({
      history,
      said: step.history.present === history.present ? step.said : describeStep(step.history, history),
    });
  const saving = useSaving({
    ...{ workflowId, current, kept, draft: history.present },
    onMerged: (merged) => edit(() => merged),
    onDiscarded: (stored) => setHistory(startHistory(open(stored))),
    onCreated: (id, stored) => {
      trial.moveTo(id);
      navigate(`/workflows/${encodeURIComponent(id)}/edit`, { state: { created: stored } });
    },
    created: useHistoryState<{ readonly created?: StoredVersion } | null>()?.created ?? null,
  });
  const found = useFindings(definition, types, saving.refusal);
  const trial = useTrial({ workflowId, definition, types, isReadable: problem === null });
  const { failed } = trial;
  const faulty = useMemo(() => new Set([...found.faulty, ...failed]), [found, failed]);
  const [nodeId] = selected;
  const node = selected.size === 1 ? definition.nodes.find(({ id }) => id === nodeId) : undefined;
  // A node that is renamed keeps its panel, and with it the focus.
  const [shown, setShown] = useState({ id: node?.id, key: 0 });
  if (shown.id !== node?.id) setShown({ id: node?.id, key: shown.key + 1 });
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (entered !== null) panel.current?.focus();
  }, [entered]);

  const selectAll = () => setSelected(new Set(definition.nodes.map(({ id }) => id)));
  const openMenu = (id: string, place: Point) => {
    setSelected(selected.has(id) ? selected : new Set([id]));
    setMenu(place);
  };
  const actions = findNodeActions({
    ...{ definition, selected, outputsOf },
    onEdit: edit,
    onSelect: setSelected,
    onAddAfter: (after) => adding.ask({ after }),
    onPaste: paste,
    onSelectAll: selectAll,
    onFail: setMenuFailure,
  });
  const graph = (
    <GraphKeys
      definition={definition}
      selected={selected}
      onEdit={edit}
      onSelect={setSelected}
      onSelectAll={selectAll}
      onPaste={paste}
      onUndo={() => setHistory(undo)}
      onRedo={() => setHistory(redo)}
    >
      <EditorCanvas
        definition={definition}
        outputsOf={outputsOf}
        withoutInput={withoutInput}
        faulty={faulty}
        selected={selected}
        onSelect={setSelected}
        onMove={(places) => edit(moveNodes(places))}
        onConnect={(connection) => edit(connect(connection))}
        onDropType={adding.drop}
        onMenu={openMenu}
      />
    </GraphKeys>
  );
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            <Button
              ariaExpanded={isPaletteOpen}
              disabled={problem !== null}
              onClick={() => setPaletteOpen(!isPaletteOpen)}
            >
              Node types
            </Button>
            <Button disabled={problem !== null} onClick={() => adding.ask({})}>
              Add a node
            </Button>
            <Button disabled={history.past.length === 0} onClick={() => setHistory(undo)}>
              Undo
            </Button>
            <Button disabled={history.future.length === 0} onClick={() => setHistory(redo)}>
              Redo
            </Button>
            <Button disabled={problem !== null} onClick={() => edit(tidyLayout(outputsOf))}>
              Tidy
            </Button>
            <Button
              variant="primary"
              loading={saving.isPending}
              disabled={problem !== null || !saving.isChanged}
              onClick={saving.store}
            >
              Save
            </Button>
          </SpaceBetween>
        }
      >
        {workflowId === '' ? 'New workflow' : `Edit ${workflowId}`}
      </Header>
      <SavingAlerts saving={saving} workflowId={workflowId} isReadable={problem === null} />
      {adding.failure !== null && !adding.isAsked && <ProblemAlert error={adding.failure} />}
      {menuFailure !== null && <ProblemAlert error={menuFailure} />}
      <ProblemList findings={found.all} onSelect={setSelected} onEdit={edit} />
      {problem !== null && (
        <Alert type="warning">
          The JSON can't be read, so the graph shows what it said before: {problem}.
        </Alert>
      )}
      {isStarting && definition.nodes.length === 0 && problem === null && (
        <Suspense>
          <Start onEdit={edit} onEmpty={() => setStarting(false)} />
        </Suspense>
      )}
      <LiveRegion hidden>{step.said}</LiveRegion>
      <TrialBar trial={trial} workflowId={workflowId} />
      <Tabs
        ariaLabel="Graph and JSON"
        tabs={[
          {
            id: 'graph',
            label: 'Graph',
            content: (
              <div className="beside beside-split">
                <SpaceBetween size="m">
                  <div className="editor-drawing">
                    {isPaletteOpen && (
                      <section className="editor-side" aria-label="Node types">
                        <NodeTypeSearch onChoose={(type) => adding.choose({ type })} />
                      </section>
                    )}
                    {graph}
                  </div>
                  {node !== undefined && (
                    <NodeDataPanel
                      key={shown.key}
                      trial={trial}
                      node={node}
                      outputs={outputsOf(node.id)}
                      declared={types.get(node.type)}
                      onUse={(parameter, expression) =>
                        edit(
                          changeNode(node.id, {
                            parameters: { ...node.parameters, [parameter]: expression },
                          }),
                        )
                      }
                    />
                  )}
                </SpaceBetween>
                <section
                  className="beside-panel"
                  key={shown.key}
                  ref={panel}
                  tabIndex={-1}
                  aria-label={node === undefined ? 'The workflow' : `Node ${node.id}`}
                >
                  {node === undefined ? (
                    <WorkflowFields
                      definition={definition}
                      isNew={workflowId === ''}
                      problems={found.ofWorkflow}
                      onEdit={edit}
                    />
                  ) : (
                    <NodeEditor
                      node={node}
                      definition={definition}
                      outputs={outputsOf(node.id)}
                      problems={found.byNode.get(node.id) ?? NO_PROBLEMS}
                      literalsOf={literalsOf}
                      declared={types.get(node.type)}
                      onEdit={edit}
                      trial={trial}
                      onRenamed={(id, renamed) => {
                        trial.rename(node.id, id, renamed);
                        setSelected(new Set([id]));
                        setShown({ ...shown, id });
                      }}
                      onAddAfter={(output) =>
                        adding.ask({
                          after: { sourceNodeId: node.id, sourceOutput: output, targetNodeId: '' },
                        })
                      }
                      onInsert={(into) => adding.ask({ into })}
                      onDuplicate={() => paste(takeFragment(definition, selected))}
                      onMenu={setMenu}
                      inputsOf={(id) =>
                        types.get(definition.nodes.find((each) => each.id === id)?.type ?? '')?.inputs ?? []
                      }
                    />
                  )}
                </section>
              </div>
            ),
          },
          {
            id: 'json',
            label: 'JSON',
            content: (
              <DraftText
                draft={history.present}
                onChange={(typed) => setHistory((before) => editText(before, typed))}
              />
            ),
          },
        ]}
      />
      {menu !== null && <NodeMenu actions={actions} place={menu} onClose={() => setMenu(null)} />}
      {adding.isAsked && <Palette problem={adding.failure} onChoose={adding.choose} onClose={adding.close} />}
    </SpaceBetween>
  );
};

/** After a pause of so long, what is typed is a state of its own. In milliseconds. */
const PAUSE_MS = 1_000;

/** Drafts that can be undone to. What is typed into a field is one state, until one pauses or leaves the field. */
const useHistory = (first: () => Draft): readonly [History, Dispatch<SetStateAction<History>>] => {
  const [history, setHistory] = useState(() => startHistory(first()));
  const { present } = history;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins the pause again
  useEffect(() => {
    const timer = setTimeout(() => setHistory(endGroup), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [present]);
  useEffect(() => {
    const end = () => setHistory(endGroup);
    addEventListener('focusout', end);
    return () => removeEventListener('focusout', end);
  }, []);
  return [history, setHistory];
};

interface DraftTextProps {
  readonly draft: Draft;
  readonly onChange: (text: string) => void;
}

/** A component of its own, so that the text is written only while someone looks at it. */
const DraftText = ({ draft, onChange }: DraftTextProps): ReactNode => (
  <JsonEditor label="JSON of the workflow" value={draft.text} onChange={onChange} />
);

const NO_PROBLEMS: NodeProblems = {
  own: [],
  credential: [],
  parameters: [],
  settings: [],
  warnings: [],
  proposals: [],
  isFaulty: false,
};

export default EditorView;
