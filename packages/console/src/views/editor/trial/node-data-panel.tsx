import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Tabs from '@cloudscape-design/components/tabs';
import type { JsonObject } from '@hookloom/plugin-kit';
import { type ReactNode, useMemo, useState } from 'react';
import type { Type } from '../../../../../authoring/validation/types/types.ts';
import { AppLink } from '../../../parts/app-link.tsx';
import { formatDuration } from '../../../parts/duration.ts';
import { fieldsOfType } from '../../../parts/expression/expression-types.ts';
import { Choice } from '../../../parts/form-fields.tsx';
import JsonEditor from '../../../parts/json-editor.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import type { NodeDataTypes } from '../../../worker/describe-node.ts';
import type { DefinitionNode } from '../../workflow/definition.ts';
import { parseInput } from '../../workflow/run-input.ts';
import { UNSEEN } from './data-paths.ts';
import { DataViews } from './data-views.tsx';
import { describeOrigin } from './origin.ts';
import {
  type DeclaredType,
  dataOf,
  findBefore,
  findInput,
  findRead,
  type NodeData,
  outputsOf,
  type TrialRun,
} from './trial-data.ts';
import { howToRun } from './trial-plan.ts';
import type { Trial } from './use-trial.ts';

interface NodeDataPanelProps {
  readonly trial: Trial;
  readonly node: DefinitionNode;
  readonly outputs: readonly string[];
  readonly declared: DeclaredType | undefined;
  /** Null until they are known. */
  readonly dataTypes: NodeDataTypes | null;
  readonly onUse: (parameter: string, expression: string) => void;
}

/** What a node receives and emits in the chosen data, and the trial of the node. */
export const NodeDataPanel = (props: NodeDataPanelProps): ReactNode => {
  const { trial, node } = props;
  const { id } = node;
  const own = dataOf(trial.data, id) ?? null;
  const [isTyping, setTyping] = useState(false);
  return (
    <section aria-label={`Data of ${id}`}>
      <Container header={<Header variant="h2">{`Data of ${id}`}</Header>}>
        <SpaceBetween size="s">
          <Actions {...props} own={own} onType={() => setTyping(true)} />
          {own !== null && <Origin own={own} isStale={trial.stale.has(id)} />}
          {own?.run?.failure != null && <Failure {...own.run.failure} nodeId={id} />}
          {isTyping && <TypedOutput {...props} own={own} onClose={() => setTyping(false)} />}
          <Views {...props} own={own} />
          {own?.run != null && <Log run={own.run} nodeId={id} />}
        </SpaceBetween>
      </Container>
    </section>
  );
};

type OwnProps = NodeDataPanelProps & { readonly own: NodeData | null };

const WHY_NOT = {
  give: 'A trigger gives the data that you choose.',
  passOn: 'It passes its input on.',
  wait: 'It waits, and would suspend the run.',
} as const;

const Actions = (props: OwnProps & { readonly onType: () => void }): ReactNode => {
  const { trial, node, declared, own, onType } = props;
  const { id } = node;
  const how = howToRun(node, new Map(declared === undefined ? [] : [[node.type, declared]]));
  const isBusy = !trial.canRun;
  const isPinned = own?.isPinned === true && how !== 'give';
  const whyNot = how === 'try' ? (isPinned ? 'Its output is pinned: unpin it first.' : null) : WHY_NOT[how];
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {how !== 'give' && (
        <Button
          loading={trial.progress?.nodeId === id}
          disabled={isBusy || whyNot !== null}
          {...(whyNot === null ? {} : { disabledReason: whyNot })}
          onClick={() => trial.run({ target: id, isAlone: true })}
        >
          Try this node
        </Button>
      )}
      {how !== 'give' && (
        <Button disabled={isBusy} onClick={() => trial.run({ target: id, isAlone: false })}>
          Run to here
        </Button>
      )}
      {how !== 'give' && own !== null && (
        <Button disabled={isBusy} onClick={() => trial.pin(id, !isPinned)}>
          {isPinned ? 'Unpin' : 'Pin'}
        </Button>
      )}
      <Button disabled={isBusy} onClick={onType}>
        Type the output
      </Button>
    </SpaceBetween>
  );
};

const Origin = ({ own, isStale }: { readonly own: NodeData; readonly isStale: boolean }): ReactNode => {
  const { from, id, isPinned, isCut, run } = own;
  const name = describeOrigin(own);
  const link = from === 'execution' || from === 'trial' ? `/executions/${encodeURIComponent(id)}` : null;
  return (
    <div>
      <span className="any-text">{link === null ? name : <AppLink to={link}>{name}</AppLink>}</span>
      {isPinned && ', pinned'}
      {run !== null && `, ${formatDuration(run.durationMs)}`}
      {run !== null && run.attempts > 1 && `, ${run.attempts} attempts`}
      {isStale && (
        <Box>
          <StatusIndicator type="warning">
            Stale: this node, its body or what is before it has changed since.
          </StatusIndicator>
        </Box>
      )}
      {isCut && (
        <Box>
          <StatusIndicator type="warning">
            {Object.keys(own.outputs).length === 0
              ? from === 'trial' || from === 'evaluation'
                ? 'The output is too large to be shown, and for the nodes behind it.'
                : 'The record lacks this data: it is too large, or the setting recordData leaves it out.'
              : run === null && from === 'evaluation'
                ? 'Only what its body begins with, for the first item. Try this node to run its body.'
                : 'This data is shortened.'}
          </StatusIndicator>
        </Box>
      )}
    </div>
  );
};

type FailureProps = NonNullable<TrialRun['failure']> & { readonly nodeId: string };

const Failure = ({ name, message, details, nodeId }: FailureProps): ReactNode => (
  <Alert type="error" header={name}>
    <div className="any-text">{message}</div>
    {details !== undefined && (
      <ExpandableSection headerText="Details">
        <JsonView value={details} label={`Details of the failure of ${nodeId}`} />
      </ExpandableSection>
    )}
  </Alert>
);

const Views = ({ trial, node: { id }, own, declared, dataTypes, onUse }: OwnProps): ReactNode => {
  const { graph, data } = trial;
  const parameters = useMemo(() => findExpressible(declared), [declared]);
  const [earlier, setEarlier] = useState<string | null>(null);
  const [tab, setTab] = useState<string | null>(null);
  const [trialId, setTrialId] = useState(own?.id);
  // The result of a trial is what someone waits for.
  if (own?.id !== trialId) {
    setTrialId(own?.id);
    if (own?.from === 'trial' && Object.keys(own.outputs).length > 0) setTab('output');
  }
  const input = findInput(graph, data, id);
  const inputType = dataTypes?.input ?? {};
  const nodeTypes = dataTypes?.nodes ?? {};
  const before = [...findBefore(graph, id)].filter(
    (one) => Object.keys(outputsOf(data, one)).length > 0 || hasFields(nodeTypes[one]),
  );
  const shownEarlier = earlier !== null && before.includes(earlier) ? earlier : (before[0] ?? null);
  const hasInput = before.length > 0 || input !== null || hasFields(inputType);
  const use = { parameters, onUse };
  const made = own?.outputs ?? {};
  const names = Object.keys(made);
  const outputs =
    names.length > 0
      ? names
      : Object.entries(dataTypes?.outputs ?? {}).flatMap(([name, type]) => (hasFields(type) ? [name] : []));
  return (
    <Tabs
      ariaLabel={`Input and output of ${id}`}
      activeTabId={tab ?? (hasInput ? 'input' : 'output')}
      onChange={({ detail }) => setTab(detail.activeTabId)}
      tabs={[
        ...(!hasInput
          ? []
          : [
              {
                id: 'input',
                label: 'Input',
                content:
                  input === null && !hasFields(inputType) ? (
                    <Box color="text-body-secondary">Nothing reaches this node in the data.</Box>
                  ) : (
                    <DataViews
                      {...use}
                      value={input ?? UNSEEN}
                      type={inputType}
                      label={`Input of ${id}`}
                      nodeId={null}
                    />
                  ),
              },
            ]),
        {
          id: 'output',
          label: 'Output',
          content:
            outputs.length === 0 ? (
              <Box color="text-body-secondary">
                {input !== null && trial.left.has(id)
                  ? 'There is no output yet: the node is not run as you type. It has a problem or too much data, or acts on the outside. Try this node.'
                  : 'There is no output yet.'}
              </Box>
            ) : (
              <SpaceBetween size="s">
                {outputs.map((name) => (
                  <div key={name}>
                    {(outputs.length > 1 || name !== 'main') && <Box variant="awsui-key-label">{name}</Box>}
                    <DataViews
                      value={made[name] ?? UNSEEN}
                      type={dataTypes?.outputs[name] ?? {}}
                      label={`Output ${name} of ${id}`}
                      nodeId={id}
                      parameters={NONE}
                      onUse={onUse}
                    />
                  </div>
                ))}
              </SpaceBetween>
            ),
        },
        ...(shownEarlier === null
          ? []
          : [
              {
                id: 'before',
                label: 'Nodes before',
                content: (
                  <SpaceBetween size="xs">
                    <Choice
                      ariaLabel="Node before"
                      value={shownEarlier}
                      options={before}
                      onChange={setEarlier}
                    />
                    <DataViews
                      {...use}
                      key={shownEarlier}
                      value={
                        dataOf(data, shownEarlier) === undefined
                          ? UNSEEN
                          : findRead(graph, data, id, shownEarlier)
                      }
                      type={nodeTypes[shownEarlier] ?? {}}
                      label={`Output of ${shownEarlier}`}
                      nodeId={shownEarlier}
                    />
                  </SpaceBetween>
                ),
              },
            ]),
      ]}
    />
  );
};

const hasFields = (type: Type = {}): boolean => fieldsOfType(type).size > 0;

/** Names of the parameters that can take an expression. */
const findExpressible = (declared: DeclaredType | undefined): readonly string[] => {
  if (declared?.kind !== 'action') return [];
  const { schema, literalParameters = [] } = declared;
  const { properties } = (schema ?? {}) as JsonObject;
  return Object.keys(properties ?? {}).filter((name) => !literalParameters.includes(name));
};

const NONE: readonly string[] = [];

/** Longer outputs can't be typed. In characters of JSON. */
const MAX_TYPED = 500_000;

const TypedOutput = (props: OwnProps & { readonly onClose: () => void }): ReactNode => {
  const { trial, node, outputs, own, onClose } = props;
  const first = Object.keys(own?.outputs ?? {})[0] ?? outputs[0] ?? 'main';
  const [output, setOutput] = useState(first);
  const [text, setText] = useState(() => {
    const start = JSON.stringify(own?.outputs[first] ?? {}, null, 2);
    return start.length > MAX_TYPED ? '{}' : start;
  });
  const read = parseInput(text);
  const reason =
    text.length > MAX_TYPED
      ? `Longer than ${MAX_TYPED.toLocaleString()} characters.`
      : 'reason' in read
        ? read.reason.replace('The input', 'The output')
        : null;
  return (
    <SpaceBetween size="xs">
      {outputs.length > 1 && (
        <FormField label="Output that has the data">
          <Choice value={output} options={outputs} onChange={setOutput} />
        </FormField>
      )}
      <FormField label={`Output of ${node.id} as JSON`} errorText={reason}>
        <JsonEditor label={`Output of ${node.id} as JSON`} value={text} onChange={setText} />
      </FormField>
      <SpaceBetween direction="horizontal" size="xs">
        <Button
          disabled={reason !== null}
          onClick={() => {
            if (!('input' in read)) return;
            trial.type(node.id, output, read.input as JsonObject);
            onClose();
          }}
        >
          Use this output
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </SpaceBetween>
    </SpaceBetween>
  );
};

const Log = ({ run, nodeId }: { readonly run: TrialRun; readonly nodeId: string }): ReactNode => {
  const { log, logOmitted } = run;
  if (log.length === 0) return null;
  return (
    <ExpandableSection headerText={`Log (${log.length + logOmitted})`}>
      <JsonView value={log} label={`Log of ${nodeId}`} />
      {logOmitted > 0 && <Box>{logOmitted} more entries are left out.</Box>}
    </ExpandableSection>
  );
};
