import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation, useParams } from 'wouter';
import { callApi, Problem } from '../../api/api.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import JsonEditor from '../../parts/json-editor.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readOnlyReason } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import type { ParameterProblem } from '../../parts/schema-form/fields.ts';
import {
  addNode,
  changeNode,
  chooseId,
  connect,
  type Edit,
  type EditedConnection,
  type EditedDefinition,
  type Fragment,
  insertNode,
  isPoint,
  moveNodes,
  type Point,
  pasteFragment,
  removeNodes,
  takeFragment,
  tidyLayout,
} from './definition/definition-edits.ts';
import { readDefinition, writeDefinition } from './definition/definition-text.ts';
import { type Draft, editGraph, editText, openDraft, redo, startHistory, undo } from './draft.ts';
import { EditorCanvas } from './editor-canvas.tsx';
import { readFragment, writeFragment } from './fragment-text.ts';
import { keepDraft, loadDraft, useKeptDraft } from './kept-draft.ts';
import { MergeChoices } from './merge-choices.tsx';
import { mergeDefinitions } from './merge-definitions.ts';
import { findNodeActions } from './node-actions.ts';
import { NodeEditor } from './node-editor.tsx';
import { NodeMenu } from './node-menu.tsx';
import { NodeTypeSearch, Palette } from './palette.tsx';
import { ProblemList } from './problem-list.tsx';
import type { NodeProblems } from './problems.ts';
import { WorkflowSettings } from './settings-forms.tsx';
import { CurlFields, type NewNode } from './start/import-fields.tsx';
import { NodeDataPanel } from './trial/node-data-panel.tsx';
import { TrialBar } from './trial/trial-bar.tsx';
import { useTrial } from './trial/use-trial.ts';
import { useFindings } from './use-findings.ts';

const Start = lazy(() => import('./start/start.tsx'));

/** The version that is edited; a new workflow has none. */
interface Base {
  readonly version: number | null;
  readonly text: string;
}

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
  return { text, definition: { nodes: [], connections: [] }, problem: 'the text has no workflow' };
};

interface OpenedProps {
  /** Empty for a new workflow. */
  readonly workflowId: string;
  readonly base: Base;
}

/** A change that the palette is open for. */
type Adding = {
  readonly after?: EditedConnection;
  readonly into?: EditedConnection;
  readonly position?: Point;
};

/** What someone stored while this page edited the version before. */
interface Competing {
  readonly was: EditedDefinition;
  readonly theirs: EditedDefinition;
  readonly base: Base;
}

const NO_IDS: ReadonlySet<string> = new Set();

const Opened = ({ workflowId, base: current }: OpenedProps): ReactNode => {
  const [, navigate] = useLocation();
  const [kept] = useState(() => loadDraft(workflowId));
  const [isRestored, setRestored] = useState(kept !== null);
  const [base, setBase] = useState<Base>(() =>
    kept === null ? current : { version: kept.version, text: kept.base },
  );
  const [history, setHistory] = useState(() => startHistory(open(kept?.text ?? current.text)));
  const [selected, setSelected] = useState(NO_IDS);
  const [isStarting, setStarting] = useState(workflowId === '');
  const [adding, setAdding] = useState<Adding | null>(null);
  const [conflict, setConflict] = useState<Competing | null>(null);
  const [taken, setTaken] = useState(NO_IDS);
  const [failure, setFailure] = useState<Error | null>(null);
  const [menu, setMenu] = useState<Point | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const client = useQueryClient();
  const save = useChange('PUT /api/admin/workflows/{workflowId}');
  const { text, definition, problem } = history.present;
  const isChanged = text !== base.text;

  // What is typed while a save is under way is not part of it.
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  }, [text]);
  const forgetKept = useKeptDraft(
    workflowId,
    isChanged ? { version: base.version, base: base.text, text } : null,
  );

  const types = useTypes(definition);
  const literalsOf = useCallback((type: string) => types.get(type)?.literalParameters ?? [], [types]);
  const outputs = useMemo(() => findOutputs(definition, types), [definition, types]);
  const outputsOf = useCallback((id: string) => outputs.get(id) ?? ['main'], [outputs]);

  const edit = useCallback(
    (change: Edit, group?: string) => setHistory((before) => editGraph(before, change, group ?? null)),
    [],
  );
  const paste = (fragment: Fragment) => {
    const pasted = pasteFragment(definition, fragment, literalsOf);
    edit(pasted.edit);
    setSelected(pasted.ids);
  };
  const choose = (node: NewNode, where: Adding) => {
    setFailure(null);
    client.fetchQuery(typeQuery(node.type)).then(
      ({ outputs }) => add(node, outputs?.[0] ?? 'main', where),
      (error: Error) => setFailure(error),
    );
  };
  const add = (chosen: NewNode, output: string, { into, after, position }: Adding) => {
    const id = chooseId(definition, chosen.type);
    const node = { id, ...chosen, ...(position === undefined ? {} : { position }) };
    if (into !== undefined) edit(insertNode(node, into, output));
    else {
      edit((before) => {
        const added = addNode(node)(before);
        return after === undefined ? added : connect({ ...after, targetNodeId: node.id })(added);
      });
    }
    setSelected(new Set([node.id]));
    setAdding(null);
  };

  const store = () => {
    const id = workflowId === '' ? String(definition.id) : workflowId;
    setFailure(null);
    save.mutate(
      {
        params: { workflowId: id },
        body: definition,
        headers: base.version === null ? { 'if-none-match': '*' } : { 'if-match': `"${base.version}"` },
      },
      {
        onSuccess: ({ version }) => {
          forgetKept();
          if (workflowId === '' && latest.current !== text)
            keepDraft(id, { version, base: text, text: latest.current });
          setRestored(false);
          setBase({ version, text });
          if (workflowId === '') {
            trial.moveTo(id);
            navigate(`/workflows/${encodeURIComponent(id)}/edit`);
          }
        },
        onError: (error) => {
          if (error instanceof Problem && error.status === 412 && base.version !== null)
            compare().catch(setFailure);
        },
      },
    );
  };
  const compare = async () => {
    const theirs = await callApi('GET /api/admin/workflows/{workflowId}', { params: { workflowId } });
    const value = theirs.definition as unknown as EditedDefinition;
    const reading = readDefinition(base.text);
    if ('problem' in reading)
      throw new Error(`The version that you opened can't be read: ${reading.problem}`);
    setTaken(NO_IDS);
    setConflict({
      was: reading.definition,
      theirs: value,
      base: { version: theirs.version, text: writeDefinition(value) },
    });
  };
  const merged = useMemo(
    () => (conflict === null ? null : mergeDefinitions(conflict.was, definition, conflict.theirs, taken)),
    [conflict, definition, taken],
  );
  const merge = (next: EditedDefinition, theirs: Base) => {
    edit(() => next);
    setBase(theirs);
    setConflict(null);
    save.reset();
  };
  const isTaken = base.version === null && save.error instanceof Problem && save.error.status === 412;

  const found = useFindings(definition, types, save.error);
  const trial = useTrial({ workflowId, definition, types, isReadable: problem === null });
  const { failed } = trial;
  const faulty = useMemo(() => new Set([...found.faulty, ...failed]), [found, failed]);
  const [nodeId] = selected;
  const node = selected.size === 1 ? definition.nodes.find(({ id }) => id === nodeId) : undefined;

  const selectAll = () => setSelected(new Set(definition.nodes.map(({ id }) => id)));
  const fail = (error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error)));
  const openMenu = (id: string, place: Point) => {
    const ids = selected.has(id) ? selected : new Set([id]);
    setSelected(ids);
    setMenu(place);
  };
  const actions = findNodeActions({
    ...{ definition, selected, outputsOf },
    onEdit: edit,
    onSelect: setSelected,
    onAddAfter: (after) => setAdding({ after }),
    onPaste: paste,
    onSelectAll: selectAll,
    onFail: fail,
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping =
      (event.target as HTMLElement).closest('input, textarea, [contenteditable="true"]') !== null;
    if (isTyping) return;
    const key = event.key.toLowerCase();
    if (key === 'delete' || key === 'backspace') {
      edit(removeNodes(selected));
      setSelected(NO_IDS);
    } else if (!(event.ctrlKey || event.metaKey)) return;
    else if (key === 'z') setHistory(event.shiftKey ? redo : undo);
    else if (key === 'y') setHistory(redo);
    else if (key === 'a') selectAll();
    else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    if ((event.target as HTMLElement).closest('input, textarea, [contenteditable="true"]') !== null) return;
    const fragment = readFragment(event.clipboardData.getData('text/plain'));
    if ('problem' in fragment) return;
    event.preventDefault();
    paste(fragment);
  };
  const onCopy = (event: ClipboardEvent) => {
    if (selected.size === 0 || String(getSelection()) !== '') return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', writeFragment(takeFragment(definition, selected)));
  };

  const graph = (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes in it have the focus, and the keys
    <div className="editor-canvas" onKeyDown={onKeyDown} onCopy={onCopy} onPaste={onPaste}>
      <EditorCanvas
        definition={definition}
        outputsOf={outputsOf}
        faulty={faulty}
        selected={selected}
        onSelect={setSelected}
        onMove={(places) => edit(moveNodes(places))}
        onConnect={(connection) => edit(connect(connection))}
        onDropType={(type, position, into) => choose({ type }, placeDropped(definition, position, into))}
        onMenu={openMenu}
      />
    </div>
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
            <Button disabled={problem !== null} onClick={() => setAdding({})}>
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
              loading={save.isPending}
              disabled={problem !== null || !isChanged}
              onClick={store}
            >
              Save
            </Button>
          </SpaceBetween>
        }
      >
        {workflowId === '' ? 'New workflow' : `Edit ${workflowId}`}
      </Header>
      <div aria-live="polite">
        {save.isSuccess && !isChanged && (
          <Alert type="success">
            Saved as version {base.version}
            {save.data.file === undefined ? '' : ` and to ${save.data.file}`}.
          </Alert>
        )}
      </div>
      {isRestored && (
        <Alert
          type="info"
          action={
            <Button
              onClick={() => {
                setHistory(startHistory(open(current.text)));
                setBase(current);
                setRestored(false);
              }}
            >
              Discard
            </Button>
          }
        >
          This is your unsaved work{base.version === null ? '' : ` on version ${base.version}`}.
        </Alert>
      )}
      {failure !== null && adding === null && <ProblemAlert error={failure} />}
      {isTaken && (
        <Alert
          type="warning"
          header="A workflow with this id exists"
          action={
            <Button
              onClick={() =>
                navigate(`/workflows/${encodeURIComponent(String(save.variables?.params?.workflowId))}/edit`)
              }
            >
              Open the existing workflow
            </Button>
          }
        >
          Nothing was saved. Choose another id, or open the workflow that has it: your draft stays in this
          browser.
        </Alert>
      )}
      {save.error !== null && conflict === null && !isTaken && <ProblemAlert error={save.error} />}
      {conflict !== null && merged !== null && (
        <Alert
          type="warning"
          header={`Version ${conflict.base.version} was stored while you edited version ${base.version}`}
          action={
            <Button disabled={problem !== null} onClick={() => merge(merged.definition, conflict.base)}>
              Merge
            </Button>
          }
        >
          {merged.conflicts.length === 0 ? (
            'The changes do not touch the same node.'
          ) : (
            <MergeChoices
              conflicts={merged.conflicts}
              taken={taken}
              onTake={(name, isTheirs) =>
                setTaken((before) =>
                  isTheirs
                    ? new Set([...before, name])
                    : new Set([...before].filter((each) => each !== name)),
                )
              }
            />
          )}
        </Alert>
      )}
      <ProblemList
        findings={found.all}
        definition={definition}
        onSelect={(id) => setSelected(new Set([id]))}
        onEdit={edit}
      />
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
      <TrialBar trial={trial} workflowId={workflowId} />
      <Tabs
        ariaLabel="Graph and JSON"
        tabs={[
          {
            id: 'graph',
            label: 'Graph',
            content: (
              <Grid gridDefinition={[{ colspan: { default: 12, s: 7 } }, { colspan: { default: 12, s: 5 } }]}>
                <SpaceBetween size="m">
                  <div className="editor-drawing">
                    {isPaletteOpen && (
                      <section className="editor-side" aria-label="Node types">
                        <NodeTypeSearch onChoose={(type) => choose({ type }, {})} />
                      </section>
                    )}
                    {graph}
                  </div>
                  {node !== undefined && (
                    <NodeDataPanel
                      key={node.id}
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
                {node === undefined ? (
                  <WorkflowFields
                    definition={definition}
                    isNew={workflowId === ''}
                    problems={found.ofWorkflow}
                    onEdit={edit}
                  />
                ) : (
                  <NodeEditor
                    key={node.id}
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
                    }}
                    onAddAfter={(output) =>
                      setAdding({ after: { sourceNodeId: node.id, sourceOutput: output, targetNodeId: '' } })
                    }
                    onInsert={(into) => setAdding({ into })}
                    onDuplicate={() => paste(takeFragment(definition, selected))}
                    onMenu={setMenu}
                    inputsOf={(id) =>
                      types.get(definition.nodes.find((each) => each.id === id)?.type ?? '')?.inputs ?? []
                    }
                  />
                )}
              </Grid>
            ),
          },
          {
            id: 'json',
            label: 'JSON',
            content: (
              <JsonEditor
                label="JSON of the workflow"
                value={text}
                onChange={(typed) => setHistory((before) => editText(before, typed))}
              />
            ),
          },
        ]}
      />
      {menu !== null && <NodeMenu actions={actions} place={menu} onClose={() => setMenu(null)} />}
      {adding !== null && (
        <Palette
          title="Add a node"
          problem={failure}
          onChoose={(type) => choose({ type }, adding)}
          others={
            <ExpandableSection headerText="From a curl command">
              <CurlFields action="Add this request" onNode={(node) => choose(node, adding)} />
            </ExpandableSection>
          }
          onClose={() => {
            setAdding(null);
            setFailure(null);
          }}
        />
      )}
    </SpaceBetween>
  );
};

/** A dropped node gets a place unless it goes between nodes that the layout places. */
const placeDropped = (
  { nodes }: EditedDefinition,
  position: Point,
  into: EditedConnection | null,
): Adding => {
  if (into === null) return { position };
  const isPlaced = nodes.some((node) => node.id === into.sourceNodeId && isPoint(node.position));
  return isPlaced ? { into, position } : { into };
};

const typeQuery = (nodeType: string) => ({
  queryKey: ['GET /api/admin/node-types/{nodeType}', { nodeType }, undefined],
  queryFn: () => callApi('GET /api/admin/node-types/{nodeType}', { params: { nodeType } }),
  staleTime: 60_000,
});

/** The declarations of the types of a workflow's nodes, by type, as they arrive. */
const useTypes = ({ nodes }: EditedDefinition) => {
  const names = [...new Set(nodes.map(({ type }) => type))].sort();
  return useQueries({
    queries: names.map(typeQuery),
    combine: combineTypes,
  });
};

const combineTypes = (
  results: readonly { readonly data?: Awaited<ReturnType<typeof showType>> | undefined }[],
) => new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.nodeType, data] as const])));

const showType = () => callApi('GET /api/admin/node-types/{nodeType}');

/** The outputs of each node, by its id: those that its type declares, and those that connections use. */
const findOutputs = (
  { nodes, connections = [] }: EditedDefinition,
  types: ReturnType<typeof combineTypes>,
): ReadonlyMap<string, readonly string[]> => {
  const used = Map.groupBy(connections, ({ sourceNodeId }) => sourceNodeId);
  return new Map(
    nodes.map(({ id, type, settings }) => {
      const routed = settings?.onError === 'route' ? ['error'] : [];
      const connected = (used.get(id) ?? []).map(({ sourceOutput = 'main' }) => sourceOutput);
      const declared = types.get(type)?.outputs ?? (connected.length === 0 ? ['main'] : []);
      return [id, [...new Set([...declared, ...routed, ...connected])]] as const;
    }),
  );
};

const NO_PROBLEMS: NodeProblems = {
  own: [],
  credential: [],
  parameters: [],
  settings: [],
  warnings: [],
  proposals: [],
  isFaulty: false,
};

interface WorkflowFieldsProps {
  readonly definition: EditedDefinition;
  readonly isNew: boolean;
  readonly problems: readonly ParameterProblem[];
  readonly onEdit: (edit: Edit, group: string) => void;
}

const WorkflowFields = ({ definition, isNew, problems, onEdit }: WorkflowFieldsProps): ReactNode => {
  const set = (name: string) => (value: string) => onEdit((before) => ({ ...before, [name]: value }), name);
  return (
    <SpaceBetween size="m">
      <Box variant="h2">Workflow</Box>
      <FormField label="Workflow id" description="Up to 64 of A-Z a-z 0-9 _ -">
        <Input
          value={String(definition.id ?? '')}
          disabled={!isNew}
          onChange={({ detail }) => set('id')(detail.value)}
        />
      </FormField>
      <FormField label="Workflow name">
        <Input value={String(definition.name ?? '')} onChange={({ detail }) => set('name')(detail.value)} />
      </FormField>
      <Box color="text-body-secondary">Select a node to edit it.</Box>
      <WorkflowSettings definition={definition} problems={problems} onEdit={onEdit} />
    </SpaceBetween>
  );
};

export default EditorView;
