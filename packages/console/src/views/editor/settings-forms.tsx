import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { JsonObject } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { workflowSchema } from '../../../../../lib/workflows/definition/schema.ts';
import { TextField } from '../../parts/form-fields.tsx';
import type { ParameterProblem } from '../../parts/schema-form/fields.ts';
import { changeWorkflow, type Edit, type EditedDefinition } from './definition/definition-edits.ts';

const ParametersForm = lazy(() => import('../../parts/schema-form/parameters-form.tsx'));

interface SettingsFormProps {
  readonly schema: unknown;
  readonly value: JsonObject;
  readonly problems: readonly ParameterProblem[];
  readonly onChange: (value: JsonObject) => void;
}

const SettingsForm = (props: SettingsFormProps): ReactNode => (
  <Suspense fallback={<Box>Loading the settings</Box>}>
    <ParametersForm {...props} allowsExpressions={false} />
  </Suspense>
);

const { description, enabled, tags, settings, nodes } = workflowSchema.properties;
const NODE_SCHEMA = nodes.items.properties.settings;
const OWN_SCHEMA = { properties: { description, enabled, tags } };
const NO_SETTINGS: JsonObject = {};

/** Retries, time limit and what happens after a failure of a node; open if a problem is in it. */
export const NodeSettings = (props: Omit<SettingsFormProps, 'schema'>): ReactNode => {
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(props.value);
  return (
    <ExpandableSection
      headerText="Settings"
      headerDescription={names.length === 0 ? NODE_SCHEMA.description : names.join(', ')}
      expanded={isOpen || props.problems.length > 0}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      <SettingsForm {...props} schema={NODE_SCHEMA} />
    </ExpandableSection>
  );
};

interface WorkflowFieldsProps {
  readonly definition: EditedDefinition;
  readonly isNew: boolean;
  readonly problems: readonly ParameterProblem[];
  readonly onEdit: (edit: Edit) => void;
}

/** What a workflow says of itself: its names, tags, limits, how it is executed. */
export const WorkflowFields = ({ definition, isNew, problems, onEdit }: WorkflowFieldsProps): ReactNode => {
  const set = (name: string) => (value: string) => onEdit((before) => ({ ...before, [name]: value }));
  const own = Object.keys(OWN_SCHEMA.properties);
  const value = Object.fromEntries(
    Object.entries(definition).filter(([name]) => own.includes(name)),
  ) as JsonObject;
  const inSettings = problems.flatMap(({ path, message }) =>
    path.startsWith('/settings') ? [{ path: path.slice('/settings'.length), message }] : [],
  );
  return (
    <SpaceBetween size="m">
      <Box variant="h2">Workflow</Box>
      <TextField
        label="Workflow id"
        description="Up to 64 of A-Z a-z 0-9 _ -"
        value={String(definition.id ?? '')}
        disabled={!isNew}
        onChange={set('id')}
      />
      <TextField label="Workflow name" value={String(definition.name ?? '')} onChange={set('name')} />
      <Box color="text-body-secondary">Select a node to edit it.</Box>
      <SettingsForm
        schema={OWN_SCHEMA}
        value={value}
        problems={problems.filter(({ path }) => !path.startsWith('/settings'))}
        onChange={(changed) =>
          onEdit(changeWorkflow({ ...Object.fromEntries(own.map((name) => [name, undefined])), ...changed }))
        }
      />
      <ExpandableSection
        headerText="Settings"
        headerDescription={settings.description}
        defaultExpanded={definition.settings !== undefined}
      >
        <SettingsForm
          schema={settings}
          value={(definition.settings as JsonObject | undefined) ?? NO_SETTINGS}
          problems={inSettings}
          onChange={(changed) => onEdit(changeWorkflow({ settings: changed }))}
        />
      </ExpandableSection>
    </SpaceBetween>
  );
};
