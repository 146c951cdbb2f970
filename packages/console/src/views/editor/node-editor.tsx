import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import Toggle from '@cloudscape-design/components/toggle';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { Choice, TextField } from '../../parts/form-fields.tsx';
import JsonEditor from '../../parts/json-editor.tsx';
import { parseDefinition } from '../../parts/parse-json.ts';
import type { NodeDataTypes } from '../../worker/describe-node.ts';
import {
  changeNode,
  chooseCredential,
  connectNodes,
  disconnectNodes,
  type Edit,
  type EditedConnection,
  type EditedDefinition,
  type EditedNode,
  type LiteralsOf,
  type Point,
  problemOfId,
  removeNodes,
  renameNode,
} from './definition/definition-edits.ts';
import { NodeCredential } from './node-credential.tsx';
import type { NodeProblems } from './problems.ts';
import { ProposalButton } from './proposal-button.tsx';
import { NodeSettings } from './settings-forms.tsx';
import { type DeclaredType, findBefore } from './trial/trial-data.ts';
import type { Trial } from './trial/use-trial.ts';

const ParametersForm = lazy(() => import('../../parts/schema-form/parameters-form.tsx'));

interface NodeEditorProps {
  readonly node: EditedNode;
  readonly definition: EditedDefinition;
  readonly outputs: readonly string[];
  readonly problems: NodeProblems;
  readonly literalsOf: LiteralsOf;
  /** The declaration of its type; undefined until it has arrived, and if there is no such type. */
  readonly declared: DeclaredType | undefined;
  readonly onEdit: (edit: Edit) => void;
  readonly trial: Trial;
  /** Null until they are known. */
  readonly dataTypes: NodeDataTypes | null;
  readonly onRenamed: (id: string, definition: EditedDefinition) => void;
  readonly onAddAfter: (output: string) => void;
  readonly onInsert: (connection: EditedConnection) => void;
  readonly onDuplicate: () => void;
  /** Called with the place of the menu, in the window. */
  readonly onMenu: (place: Point) => void;
  readonly inputsOf: (nodeId: string) => readonly string[];
}

/** One node: its names, parameters and connections, all by keyboard. */
export const NodeEditor = (props: NodeEditorProps): ReactNode => {
  const { node, definition, outputs, problems, literalsOf, onEdit } = props;
  const { id, type, name = '', notes = '', disabled = false, settings = NO_SETTINGS } = node;
  const credentialTypes = props.declared?.credentialTypes ?? [];
  const menuButton = useRef<HTMLSpanElement>(null);
  const openMenu = () => {
    const { left, bottom } = menuButton.current?.getBoundingClientRect() ?? { left: 0, bottom: 0 };
    props.onMenu({ x: left, y: bottom });
  };
  const [newId, setNewId] = useState(id);
  const idProblem = problemOfId(definition, newId, id);
  const rename = () => {
    if (newId === id || idProblem !== null) return;
    const edit = renameNode(id, newId, literalsOf);
    onEdit(edit);
    props.onRenamed(newId, edit(definition));
  };
  const change = (members: Parameters<typeof changeNode>[1]) => onEdit(changeNode(id, members));
  return (
    <Container
      header={
        <Header
          variant="h2"
          actions={
            <span ref={menuButton}>
              <Button ariaHaspopup="menu" onClick={openMenu}>
                Node actions
              </Button>
            </span>
          }
        >{`Node ${id}`}</Header>
      }
    >
      <SpaceBetween size="m">
        <SpaceBetween direction="horizontal" size="xs">
          {outputs.map((output) => (
            <Button key={output} onClick={() => props.onAddAfter(output)}>
              {outputs.length === 1 ? 'Add after' : `Add after ${output}`}
            </Button>
          ))}
          <Button onClick={props.onDuplicate}>Duplicate</Button>
          <Button onClick={() => onEdit(removeNodes(new Set([id])))}>Remove</Button>
        </SpaceBetween>
        {problems.own.map((problem) => (
          <Box key={problem} color="text-status-error">
            {problem}
          </Box>
        ))}
        {problems.warnings.map((warning) => (
          <StatusIndicator key={warning} type="warning">
            {warning}
          </StatusIndicator>
        ))}
        {problems.proposals.map((finding) => (
          <div key={`${finding.path} ${finding.message}`} className="any-text">
            {finding.pointer === '' ? finding.member : finding.pointer.slice(1)}:{' '}
            <ProposalButton finding={finding} onEdit={onEdit} />
          </div>
        ))}
        <FormField label="Id" description={type} errorText={idProblem}>
          <Input
            value={newId}
            onChange={({ detail }) => setNewId(detail.value)}
            onBlur={rename}
            onKeyDown={({ detail }) => detail.key === 'Enter' && rename()}
          />
        </FormField>
        <TextField label="Name" value={name} onChange={(changed) => change({ name: changed })} />
        {(credentialTypes.length > 0 || node.credentialId !== undefined) && (
          <NodeCredential
            types={credentialTypes}
            isRequired={props.declared?.credentialRequired === true}
            credentialId={node.credentialId}
            problems={problems.credential}
            onChoose={(credential) => onEdit(chooseCredential(node, credential))}
          />
        )}
        <NodeParameters {...props} onChange={(parameters) => change({ parameters })} />
        <NodeSettings
          value={settings as JsonObject}
          problems={problems.settings}
          onChange={(changed) => change({ settings: changed })}
        />
        <FormField label="Notes">
          <Textarea rows={2} value={notes} onChange={({ detail }) => change({ notes: detail.value })} />
        </FormField>
        <Toggle checked={disabled} onChange={({ detail }) => change({ disabled: detail.checked })}>
          Disabled
        </Toggle>
        <Connections {...props} />
      </SpaceBetween>
    </Container>
  );
};

const NO_SETTINGS = {};

interface NodeParametersProps
  extends Pick<NodeEditorProps, 'node' | 'problems' | 'declared' | 'trial' | 'dataTypes'> {
  readonly onChange: (parameters: JsonObject) => void;
}

const NO_PARAMETERS: JsonObject = {};

/** The parameters as a form or, by choice and of an unknown type, as JSON. */
const NodeParameters = (props: NodeParametersProps): ReactNode => {
  const { node, problems, declared, trial, dataTypes, onChange } = props;
  const [isJson, setJson] = useState(false);
  const parameters = (node.parameters as JsonObject | undefined) ?? NO_PARAMETERS;
  const { graph, data, variables, values, sampleFor } = trial;
  const names = useMemo(
    () => ({ nodes: [...findBefore(graph, node.id)], variables, types: dataTypes }),
    [graph, node.id, variables, dataTypes],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sample depends on the draft and its data
  const sample = useMemo(() => sampleFor(node.id), [graph, data, values, node.id]);
  if (declared === undefined || isJson)
    return (
      <SpaceBetween size="xs">
        <ParametersJson parameters={parameters} onChange={onChange} />
        {problems.parameters.map(({ path, message }) => (
          <Box key={`${path} ${message}`} color="text-status-error">
            {path} {message}
          </Box>
        ))}
        {declared !== undefined && <Button onClick={() => setJson(false)}>Parameters as a form</Button>}
      </SpaceBetween>
    );
  const { schema, kind, literalParameters = [], parametersWithOptions = [] } = declared;
  const needsCredential = declared.credentialRequired === true && node.credentialId === undefined;
  return (
    <SpaceBetween size="s">
      <Suspense fallback={<Box>Loading the parameters</Box>}>
        <ParametersForm
          schema={schema}
          value={parameters}
          onChange={onChange}
          problems={problems.parameters}
          allowsExpressions={kind === 'action'}
          literals={literalParameters}
          sample={sample}
          names={names}
          options={{
            nodeType: node.type,
            parameters: parametersWithOptions,
            credentialId: node.credentialId,
            problem: needsCredential ? 'Choose a credential first: the service asks with it.' : null,
          }}
        />
      </Suspense>
      <Button onClick={() => setJson(true)}>Parameters as JSON</Button>
    </SpaceBetween>
  );
};

const ParametersJson = ({
  parameters,
  onChange,
}: Pick<NodeParametersProps, 'onChange'> & { readonly parameters: JsonObject }): ReactNode => {
  const [shown, setShown] = useState(() => ({ parameters, text: JSON.stringify(parameters, null, 2) }));
  // They were changed elsewhere, for example by an undo.
  if (shown.parameters !== parameters) setShown({ parameters, text: JSON.stringify(parameters, null, 2) });
  const type = (text: string) => {
    const typed = parseMap(text);
    setShown({ parameters: typed ?? parameters, text });
    if (typed !== null) onChange(typed);
  };
  return (
    <FormField label="Parameters">
      <JsonEditor label="Parameters" value={shown.text} onChange={type} />
    </FormField>
  );
};

const parseMap = (text: string): JsonObject | null => {
  try {
    const value = parseDefinition(text);
    return isPlainObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
};

const Connections = (props: NodeEditorProps): ReactNode => {
  const { node, definition, outputs, onEdit, onInsert } = props;
  const { id } = node;
  // The outputs may arrive later.
  const [chosen, setOutput] = useState<string | null>(null);
  const output = chosen !== null && outputs.includes(chosen) ? chosen : (outputs[0] ?? 'main');
  const [target, setTarget] = useState<string | null>(null);
  const [input, setInput] = useState('main');
  const inputs = target === null ? [] : props.inputsOf(target);
  const targetInput = inputs.includes(input) ? input : (inputs[0] ?? 'main');
  const out = (definition.connections ?? []).filter(({ sourceNodeId }) => sourceNodeId === id);
  return (
    <SpaceBetween size="xs">
      <Box variant="awsui-key-label">Connections</Box>
      {out.map((connection) => {
        const { sourceOutput = 'main', targetNodeId, targetInput: entered = 'main' } = connection;
        const label = `${sourceOutput} to ${targetNodeId}${entered === 'main' ? '' : ` (${entered})`}`;
        return (
          <SpaceBetween key={JSON.stringify(connection)} direction="horizontal" size="xs" alignItems="center">
            <Box>{label}</Box>
            <Button ariaLabel={`Insert into ${label}`} onClick={() => onInsert(connection)}>
              Insert
            </Button>
            <Button
              ariaLabel={`Remove connection ${label}`}
              onClick={() => onEdit(disconnectNodes(connection))}
            >
              Remove
            </Button>
          </SpaceBetween>
        );
      })}
      {outputs.length > 1 && (
        <FormField label="Output">
          <Choice value={output} options={outputs} onChange={setOutput} />
        </FormField>
      )}
      <FormField label="Connect to">
        <Choice
          placeholder="Choose a node"
          filteringType="auto"
          value={target}
          options={definition.nodes.map((each) => each.id)}
          onChange={setTarget}
        />
      </FormField>
      {inputs.length > 1 && (
        <FormField label="Input">
          <Choice value={targetInput} options={inputs} onChange={setInput} />
        </FormField>
      )}
      <Button
        disabled={target === null}
        onClick={() => {
          if (target === null) return;
          onEdit(connectNodes({ sourceNodeId: id, sourceOutput: output, targetNodeId: target, targetInput }));
          setTarget(null);
        }}
      >
        Connect
      </Button>
    </SpaceBetween>
  );
};
