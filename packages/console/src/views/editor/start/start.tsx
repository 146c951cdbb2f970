import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { type ReactNode, useState } from 'react';
import definitions from 'sample-workflows';
import { useAddressState } from '../../../parts/address-state.ts';
import {
  addNode,
  chooseId,
  connectNodes,
  type Edit,
  type EditedDefinition,
} from '../definition/definition-edits.ts';
import { BodyFields, CurlFields, type NewNode } from './import-fields.tsx';
import { findTemplates, type Template, toTemplate } from './templates.ts';

interface StartProps {
  readonly definition: EditedDefinition;
  readonly onEdit: (edit: Edit) => void;
  /** Begins with a webhook. @param begun - the definition with it @param body - the JSON that it was made from */
  readonly onBody: (begun: EditedDefinition, body: string) => void;
  readonly onEmpty: () => void;
}

const addTo = (definition: EditedDefinition, node: NewNode): EditedDefinition =>
  addNode({ ...node, id: chooseId(definition, node.type) })(definition);

/** A request needs something that starts it: a person, until someone chooses another trigger. */
const startWithRequest =
  (node: NewNode): Edit =>
  (definition) => {
    const added = addTo(addTo(definition, { type: 'manualTrigger' }), node);
    const [source, target] = added.nodes.slice(-2);
    return source === undefined || target === undefined
      ? added
      : connectNodes({ sourceNodeId: source.id, targetNodeId: target.id })(added);
  };

/** What a new workflow can begin with; it is loaded when one is drawn. */
const Start = ({ definition, onEdit, onBody, onEmpty }: StartProps): ReactNode => {
  const [tab, setTab] = useAddressState('start');
  return (
    <Container
      header={
        <Header variant="h2" actions={<Button onClick={onEmpty}>Start empty</Button>}>
          Start from
        </Header>
      }
    >
      <Tabs
        ariaLabel="Start from"
        activeTabId={tab === '' ? 'template' : tab}
        onChange={({ detail }) => setTab(detail.activeTabId)}
        tabs={[
          {
            id: 'template',
            label: 'Template',
            content: <Templates onChoose={({ definition }) => onEdit(() => definition)} />,
          },
          {
            id: 'curl',
            label: 'curl command',
            content: (
              <CurlFields
                action="Start with this request"
                onNode={(node) => onEdit(startWithRequest(node))}
              />
            ),
          },
          {
            id: 'body',
            label: 'JSON body',
            content: (
              <BodyFields
                action="Start with this webhook"
                onNode={(node, text) => onBody(addTo(definition, node), text)}
              />
            ),
          },
        ]}
      />
    </Container>
  );
};

const templates = definitions.flatMap((definition) => toTemplate(definition) ?? []);

const Templates = ({ onChoose }: { readonly onChoose: (template: Template) => void }): ReactNode => {
  const [search, setSearch] = useState('');
  const found = findTemplates(templates, search);
  return (
    <SpaceBetween size="s">
      <Input
        type="search"
        ariaLabel="Find a template"
        placeholder="Name, node type or what it does"
        value={search}
        onChange={({ detail }) => setSearch(detail.value)}
      />
      {found.length === 0 && <Box>No template matches.</Box>}
      <ul className="fields editor-templates">
        {found.map((template) => (
          <li key={template.id}>
            <div className="field-head">
              <Box variant="h3">{template.name}</Box>
              <Button ariaLabel={`Use the template ${template.name}`} onClick={() => onChoose(template)}>
                Use
              </Button>
            </div>
            <Box>{template.description}</Box>
            <Box variant="small" display="block" color="text-body-secondary">
              {template.nodeTypes.join(' · ')}
            </Box>
            <Box variant="small" display="block" color="text-body-secondary">
              {describeNeeds(template)}
            </Box>
          </li>
        ))}
      </ul>
    </SpaceBetween>
  );
};

/** Where the samples have a service of this machine. */
const LOCAL = /^(?:127\.0\.0\.1|localhost)(?::|$)/;

const describeNeeds = ({ needs }: Template): string => {
  const { credentials, variables, hosts } = needs;
  const parts = [
    credentials.length === 0 ? [] : [`credentials ${credentials.join(', ')}`],
    variables.length === 0 ? [] : [`variables ${variables.join(', ')}`],
    ...hosts.map((host) => (LOCAL.test(host) ? `an address in place of ${host}` : host)),
  ].flat();
  return parts.length === 0 ? 'Needs nothing else' : `Needs ${parts.join('; ')}`;
};

export default Start;
