import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import LiveRegion from '@cloudscape-design/components/live-region';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import {
  lazy,
  memo,
  type ReactNode,
  Suspense,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation, useParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { CURRENT_FORMAT } from '../../../../../lib/workflows/definition/schema.ts';
import { useApi } from '../../api/use-api.ts';
import JsonEditor from '../../parts/json-editor.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readOnlyReason } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import {
  changeNode,
  type Edit,
  type EditedDefinition,
  type Fragment,
  type Point,
  pasteFragment,
  takeFragment,
  tidyLayout,
} from './definition/definition-edits.ts';
import { writeDefinition } from './definition/definition-text.ts';
import { describeStep } from './describe-step.ts';
import { createDraft, type Draft, editText, openDraft, startHistory } from './draft.ts';
import { Drawing } from './drawing.tsx';
import { type KeptDraft, loadDraft } from './kept-draft.ts';
import { findNodeActions } from './node-actions.ts';
import { NodeEditor } from './node-editor.tsx';
import { NodeMenu } from './node-menu.tsx';
import { findOutputs, useLoadTypes, useTypes } from './node-types.ts';
import { NodeTypeSearch, Palette } from './palette.tsx';
import { ProblemList } from './problem-list.tsx';
import { toNodeProblems } from './problems.ts';
import { SavingAlerts } from './saving-alerts.tsx';
import { WorkflowFields } from './settings-forms.tsx';
import { NodeDataPanel } from './trial/node-data-panel.tsx';
import { TrialBar } from './trial/trial-bar.tsx';
import { useTrial } from './trial/use-trial.ts';
import { useAdding } from './use-adding.ts';
import { useFindings } from './use-findings.ts';
import { type Base, type StoredVersion, useSaving } from './use-saving.ts';
import { added, edited, redone, selecting, undone, useWork, type Work, type WorkStore } from './use-work.ts';

const Start = lazy(() => import('./start/start.tsx'));

const NEW: Base = {
  version: null,
  text: writeDefinition({
    format: CURRENT_FORMAT,
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

const Opened = ({ workflowId, base }: OpenedProps): ReactNode => {
  const [kept] = useState(() => loadDraft(workflowId));
  const { shown, store } = useWork(() => open(kept?.text ?? base.text));
  return <Editor {...{ workflowId, base, kept, store }} work={shown} />;
};

interface EditorProps extends OpenedProps {
  readonly kept: KeptDraft | null;
  readonly work: Work;
  readonly store: WorkStore;
}

/** All but the graph itself is rendered when it can show the same as the graph. */
const Editor = memo((props: EditorProps): ReactNode => {
  const { workflowId, base: current, kept, work, store } = props;
  const { change, draw } = store;
  const { history, selected } = work;
  const { definition, problem } = history.present;
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(workflowId === '');
  const [menu, setMenu] = useState<Point | null>(null);
  const [menuFailure, setMenuFailure] = useState<Error | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);

  const types = useTypes(definition);
  const literalsOf = useCallback((type: string) => types.get(type)?.literalParameters ?? [], [types]);
  const outputsOf = useMemo(() => findOutputs(definition, types), [definition, types]);

  const edit = useCallback((each: Edit) => change(edited(each)), [change]);
  const select = useCallback((ids: ReadonlySet<string>) => change(selecting(ids)), [change]);
  const paste = (fragment: Fragment) =>
    change(added((before) => pasteFragment(before, fragment, literalsOf)));
  const isEntering = useRef(false);
  const adding = useAdding({
    onAdd: (add) => draw(added(add)),
    onAnswered: () => {
      isEntering.current = true;
    },
  });
  const [step, setStep] = useState({ history, said: '' });
  if (step.history !== history)
    setStep({
      history,
      said: step.history.present === history.present ? step.said : describeStep(step.history, history),
    });
  const saving = useSaving({
    workflowId,
    current,
    kept,
    draft: history.present,
    latest: () => store.get().history.present,
    onMerged: edit,
    onDiscarded: (stored) => change(() => ({ history: startHistory(open(stored)) })),
    onCreated: (id, stored) => {
      trial.moveTo(id);
      navigate(`/workflows/${encodeURIComponent(id)}/edit`, { state: { created: stored } });
    },
    created: useHistoryState<{ readonly created?: StoredVersion } | null>()?.created ?? null,
  });
  const loadTypes = useLoadTypes();
  const trial = useTrial({ workflowId, definition, types, loadTypes, isReadable: problem === null });
  const { failed, failure } = trial;
  const { refusal } = saving;
  const refusals = useMemo(
    () => [refusal, failure && { ...failure, root: '/definition' }].filter((one) => one !== null),
    [refusal, failure],
  );
  const [nodeId] = selected;
  const node = selected.size === 1 ? definition.nodes.find(({ id }) => id === nodeId) : undefined;
  const { found, dataTypes } = useFindings(definition, types, refusals, node?.id ?? null);
  const faulty = useMemo(() => new Set([...found.faulty, ...failed]), [found, failed]);
  // A node that is renamed keeps its panel, and with it the focus.
  const [shown, setShown] = useState({ id: node?.id, key: 0 });
  if (shown.id !== node?.id) setShown({ id: node?.id, key: shown.key + 1 });
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel shows the added node from then on
  useLayoutEffect(() => {
    if (!isEntering.current) return;
    isEntering.current = false;
    panel.current?.focus();
  }, [node?.id]);

  const openMenu = (id: string, place: Point) => {
    if (!selected.has(id)) select(new Set([id]));
    setMenu(place);
  };
  const actions = findNodeActions({
    definition,
    selected,
    outputsOf,
    change,
    onAddAfter: (after) => adding.ask({ after }),
    onPaste: paste,
    onFail: setMenuFailure,
  });
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
            <Button disabled={history.past.length === 0} onClick={() => draw(undone)}>
              Undo
            </Button>
            <Button disabled={history.future.length === 0} onClick={() => draw(redone)}>
              Redo
            </Button>
            <Button disabled={problem !== null} onClick={() => draw(edited(tidyLayout(outputsOf)))}>
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
      <ProblemList findings={found.all} onSelect={select} onEdit={edit} />
      {problem !== null && (
        <Alert type="warning">
          The JSON can't be read, so the graph shows what it said before: {problem}.
        </Alert>
      )}
      {isStarting && definition.nodes.length === 0 && problem === null && (
        <Suspense>
          <Start
            definition={definition}
            onEdit={edit}
            onBody={(begun, body) => {
              edit(() => begun);
              trial.beginWith(begun, begun.nodes.at(-1)?.id ?? '', body);
            }}
            onEmpty={() => setStarting(false)}
          />
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
                    <Drawing
                      store={store}
                      faulty={faulty}
                      literalsOf={literalsOf}
                      onDropType={adding.drop}
                      onMenu={openMenu}
                    />
                  </div>
                  {node !== undefined && (
                    <NodeDataPanel
                      key={shown.key}
                      trial={trial}
                      node={node}
                      outputs={outputsOf(node.id)}
                      declared={types.get(node.type)}
                      dataTypes={dataTypes}
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
                      dataTypes={dataTypes}
                      onRenamed={(id, renamed) => {
                        trial.rename(node.id, id, renamed);
                        select(new Set([id]));
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
                onChange={(typed) => change((before) => ({ history: editText(before.history, typed) }))}
              />
            ),
          },
        ]}
      />
      {menu !== null && <NodeMenu actions={actions} place={menu} onClose={() => setMenu(null)} />}
      {adding.isAsked && <Palette problem={adding.failure} onChoose={adding.choose} onClose={adding.close} />}
    </SpaceBetween>
  );
});

interface DraftTextProps {
  readonly draft: Draft;
  readonly onChange: (text: string) => void;
}

/** A component of its own, so that the text is written only while someone looks at it. */
const DraftText = ({ draft, onChange }: DraftTextProps): ReactNode => (
  <JsonEditor label="JSON of the workflow" value={draft.text} onChange={onChange} />
);

const NO_PROBLEMS = toNodeProblems([]);

export default EditorView;
