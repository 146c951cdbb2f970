import Alert from '@cloudscape-design/components/alert';
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { NameList } from '../../parts/name-list.tsx';
import { HeadedPage } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { FieldList } from './field-list.tsx';
import { toOutputFields } from './output-fields.ts';
import { ProviderState } from './provider-state.tsx';
import { toSchemaFields } from './schema-fields.ts';
import { TryParameters } from './try-parameters.tsx';

type Shown = Answer<'GET /api/admin/node-types/{nodeType}'>;

const NodeType = (): ReactNode => {
  const { nodeType = '' } = useParams();
  const query = useApi('GET /api/admin/node-types/{nodeType}', { params: { nodeType } });
  return (
    <Loaded query={query} heading={`Node type ${nodeType}`}>
      {(shown) => <Reference shown={shown} />}
    </Loaded>
  );
};

const Reference = ({ shown }: { readonly shown: Shown }): ReactNode => (
  <HeadedPage
    title={shown.name}
    description={<MarkedText text={shown.description} />}
    info={<Badge color={shown.kind === 'trigger' ? 'green' : 'grey'}>{shown.kind}</Badge>}
  >
    <ProviderState shown={shown} />
    <Panel title="Overview">
      <Facts columns={3} facts={describeTraits(shown)} />
    </Panel>
    {shown.schema !== undefined && (
      <Parameters schema={shown.schema} literal={shown.literalParameters ?? []} />
    )}
    <Delivered shown={shown} />
    {shown.schema !== undefined && <TryParameters shown={shown} />}
    {shown.example && (
      <Panel title="Example">
        <JsonView label={`Example of ${shown.name}`} value={toExample(shown)} />
      </Panel>
    )}
  </HeadedPage>
);

const Parameters = ({
  schema,
  literal,
}: {
  readonly schema: unknown;
  readonly literal: readonly string[];
}): ReactNode => {
  const { groups, choice } = toSchemaFields(schema);
  return (
    <Panel title="Parameters">
      {groups.length === 0 && <Box color="text-body-secondary">It has no parameters.</Box>}
      {choice !== null && <Alert type="info">{choice}</Alert>}
      <FieldList groups={groups} notes={(name) => (literal.includes(name) ? ['no expressions'] : [])} />
    </Panel>
  );
};

/** What the outputs deliver, as far as it is declared. */
const Delivered = ({ shown }: { readonly shown: Shown }): ReactNode => {
  const { outputs, outputSchemas = {}, deliveryDependsOnParameters } = shown;
  if (Object.keys(outputSchemas).length === 0) return null;
  return (
    <Panel
      title="Outputs"
      {...(deliveryDependsOnParameters === true && {
        description: 'They depend on the parameters: these are of the example.',
      })}
    >
      <FieldList groups={[toOutputFields(outputs ?? [], outputSchemas)]} />
    </Panel>
  );
};

/** A node of a workflow, with what it receives and delivers. */
const toExample = ({ nodeType, example }: Shown): unknown => {
  const { parameters, input, output } = example ?? {};
  return {
    node: { id: nodeType, type: nodeType, parameters },
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
  };
};

const FIRED_BY = {
  request: 'An HTTP request',
  subworkflow: 'A subworkflow node of another workflow, or by hand',
  event: 'Events',
  poll: 'What is new when it polls, on a schedule',
} as const;

const describeTraits = (shown: Shown) => {
  const { kind, firedBy, inputs = [], credentialTypes = [], control } = shown;
  const isTrigger = kind === 'trigger';
  const takesCredentials = credentialTypes.length > 0;
  return {
    Type: <Box variant="code">{shown.nodeType}</Box>,
    Plugin: <IdLink of="plugins" id={shown.plugin} />,
    Category: shown.category,
    'Fired by': isTrigger && (firedBy ? FIRED_BY[firedBy] : 'Nothing'),
    Inputs: !isTrigger && <NameList names={inputs} />,
    Effects: !isTrigger && describeEffects(shown),
    Control: !isTrigger && control && describeControl(control),
    Outputs: <Outputs shown={shown} />,
    'Credential types': takesCredentials && <NameList names={credentialTypes} path="/credential-types" />,
    Credential: takesCredentials && describeRequired(shown),
  };
};

const Outputs = ({ shown }: { readonly shown: Shown }): ReactNode => {
  const { outputs, outputsDependOnParameters, endsBranch } = shown;
  const names = outputs ?? [];
  return (
    <>
      {outputsDependOnParameters === true
        ? `Depend on the parameters${names.length === 0 ? '' : '; in the example '}`
        : null}
      {(outputsDependOnParameters !== true || names.length > 0) && <NameList names={names} />}
      {endsBranch === true && (
        <Box color="text-body-secondary">It may deliver nothing, which ends the branch.</Box>
      )}
    </>
  );
};

const describeEffects = ({ pure }: Shown): string => {
  if (pure === 'byParameters') return 'Depend on the parameters';
  return pure === true
    ? 'None: it is computed again on a replay, without a checkpoint or retries'
    : 'It is a step, with a checkpoint and retries';
};

const describeControl = ({ suspends, bodyOutput }: NonNullable<Shown['control']>): string =>
  [
    ...(suspends ? ['It may suspend the execution'] : []),
    ...(bodyOutput === null ? [] : [`Its body begins at the output ${bodyOutput}`]),
  ].join('. ') || 'It controls the execution';

const describeRequired = ({ credentialRequired }: Shown): string => {
  if (credentialRequired === 'byParameters') return 'Required or not, depending on the parameters';
  return credentialRequired === true ? 'Required' : 'Optional';
};

export default NodeType;
