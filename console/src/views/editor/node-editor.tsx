import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import Toggle from '@cloudscape-design/components/toggle';
import { type ComponentType, type ReactNode, useState } from 'react';
import {
  changeNode,
  connect,
  disconnect,
  type Edit,
  type EditedConnection,
  type EditedDefinition,
  type EditedNode,
  type LiteralsOf,
  problemOfId,
  removeNodes,
  renameNode,
} from './definition-edits.ts';

/** What edits the parameters of a node. */
export interface ParametersEditorProps {
  readonly node: EditedNode;
  readonly onChange: (parameters: Readonly<Record<string, unknown>>) => void;
}

interface NodeEditorProps {
  readonly node: EditedNode;
  readonly definition: EditedDefinition;
  readonly outputs: readonly string[];
  readonly problems: readonly string[];
  readonly literalsOf: LiteralsOf;
  readonly ParametersEditor: ComponentType<ParametersEditorProps>;
  readonly onEdit: (edit: Edit, group?: string) => void;
  readonly onRenamed: (id: string) => void;
  readonly onAddAfter: (output: string) => void;
  readonly onInsert: (connection: EditedConnection) => void;
  readonly onDuplicate: () => void;
}

/** One node: its names, parameters and connections, all by keyboard. */
export const NodeEditor = (props: NodeEditorProps): ReactNode => {
  const { node, definition, outputs, problems, literalsOf, ParametersEditor, onEdit } = props;
  const { id, type, name = '', notes = '', disabled = false } = node;
  const [newId, setNewId] = useState(id);
  const idProblem = problemOfId(definition, newId, id);
  const rename = () => {
    if (newId === id || idProblem !== null) return;
    onEdit(renameNode(id, newId, literalsOf));
    props.onRenamed(newId);
  };
  const change = (members: Parameters<typeof changeNode>[1]) =>
    onEdit(changeNode(id, members), `${id} ${Object.keys(members).join()}`);
  return (
    <Container header={<Header variant="h2">{`Node ${id}`}</Header>}>
      <SpaceBetween size="m">
        {problems.map((problem) => (
          <Box key={problem} color="text-status-error">
            {problem}
          </Box>
        ))}
        <FormField label="Id" description={type} errorText={idProblem}>
          <Input
            value={newId}
            onChange={({ detail }) => setNewId(detail.value)}
            onBlur={rename}
            onKeyDown={({ detail }) => detail.key === 'Enter' && rename()}
          />
        </FormField>
        <FormField label="Name">
          <Input value={name} onChange={({ detail }) => change({ name: detail.value })} />
        </FormField>
        <ParametersEditor node={node} onChange={(parameters) => change({ parameters })} />
        <FormField label="Notes">
          <Textarea rows={2} value={notes} onChange={({ detail }) => change({ notes: detail.value })} />
        </FormField>
        <Toggle checked={disabled} onChange={({ detail }) => change({ disabled: detail.checked })}>
          Disabled
        </Toggle>
        <Connections {...props} />
        <SpaceBetween direction="horizontal" size="xs">
          {outputs.map((output) => (
            <Button key={output} onClick={() => props.onAddAfter(output)}>
              {outputs.length === 1 ? 'Add after' : `Add after ${output}`}
            </Button>
          ))}
          <Button onClick={props.onDuplicate}>Duplicate</Button>
          <Button onClick={() => onEdit(removeNodes(new Set([id])))}>Remove</Button>
        </SpaceBetween>
      </SpaceBetween>
    </Container>
  );
};

const Connections = ({ node: { id }, definition, outputs, onEdit, onInsert }: NodeEditorProps): ReactNode => {
  const [output, setOutput] = useState(outputs[0] ?? 'main');
  const [target, setTarget] = useState<string | null>(null);
  const out = (definition.connections ?? []).filter(({ sourceNodeId }) => sourceNodeId === id);
  const toOption = (value: string) => ({ value });
  return (
    <SpaceBetween size="xs">
      <Box variant="awsui-key-label">Connections</Box>
      {out.map((connection) => {
        const { sourceOutput = 'main', targetNodeId } = connection;
        const label = `${sourceOutput} to ${targetNodeId}`;
        return (
          <SpaceBetween key={JSON.stringify(connection)} direction="horizontal" size="xs">
            <Box>{label}</Box>
            <Button ariaLabel={`Insert into ${label}`} onClick={() => onInsert(connection)}>
              Insert
            </Button>
            <Button ariaLabel={`Remove connection ${label}`} onClick={() => onEdit(disconnect(connection))}>
              Remove
            </Button>
          </SpaceBetween>
        );
      })}
      {outputs.length > 1 && (
        <FormField label="Output">
          <Select
            selectedOption={toOption(output)}
            options={outputs.map(toOption)}
            onChange={({ detail }) => setOutput(detail.selectedOption.value ?? 'main')}
          />
        </FormField>
      )}
      <FormField label="Connect to">
        <Select
          placeholder="Choose a node"
          filteringType="auto"
          selectedOption={target === null ? null : toOption(target)}
          options={definition.nodes.map((each) => toOption(each.id))}
          onChange={({ detail }) => setTarget(detail.selectedOption.value ?? null)}
        />
      </FormField>
      <Button
        disabled={target === null}
        onClick={() => {
          if (target === null) return;
          onEdit(connect({ sourceNodeId: id, sourceOutput: output, targetNodeId: target }));
          setTarget(null);
        }}
      >
        Connect
      </Button>
    </SpaceBetween>
  );
};
