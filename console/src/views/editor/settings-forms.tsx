import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import type { JsonObject } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { workflowSchema } from '../../../../lib/workflows/definition/schema.ts';
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

interface WorkflowSettingsProps {
  readonly definition: EditedDefinition;
  readonly problems: readonly ParameterProblem[];
  readonly onEdit: (edit: Edit, group: string) => void;
}

/** What a workflow says of itself besides its id and name: tags, limits, how it is executed. */
export const WorkflowSettings = ({ definition, problems, onEdit }: WorkflowSettingsProps): ReactNode => {
  const own = Object.keys(OWN_SCHEMA.properties);
  const value = Object.fromEntries(
    Object.entries(definition).filter(([name]) => own.includes(name)),
  ) as JsonObject;
  const inSettings = problems.flatMap(({ path, message }) =>
    path.startsWith('/settings') ? [{ path: path.slice('/settings'.length), message }] : [],
  );
  return (
    <>
      <SettingsForm
        schema={OWN_SCHEMA}
        value={value}
        problems={problems.filter(({ path }) => !path.startsWith('/settings'))}
        onChange={(changed) =>
          onEdit(
            changeWorkflow({ ...Object.fromEntries(own.map((name) => [name, undefined])), ...changed }),
            'own',
          )
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
          onChange={(changed) => onEdit(changeWorkflow({ settings: changed }), 'settings')}
        />
      </ExpandableSection>
    </>
  );
};
