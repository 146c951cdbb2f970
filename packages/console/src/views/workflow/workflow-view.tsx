import Alert from '@cloudscape-design/components/alert';
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Tabs from '@cloudscape-design/components/tabs';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import { Problem } from '../../api/api.ts';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { formatDollars } from '../../parts/cost.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Silences } from '../../parts/silences.tsx';
import { Time } from '../../parts/time.tsx';
import { withQuery } from '../../parts/with-query.ts';
import { toDefinition } from './definition.ts';
import { ExecutionsTab } from './executions-tab.tsx';
import { GraphTab } from './graph-tab.tsx';
import { TriggersTab } from './triggers-tab.tsx';
import { type RolledBack, VersionsTab, type VersionsTabProps } from './versions-tab.tsx';
import { WorkflowActions } from './workflow-actions.tsx';

type Shown = Answer<'GET /api/admin/workflows/{workflowId}'>;

/** One workflow: its graph, what starts it, its versions and its last executions. */
const WorkflowView = (): ReactNode => {
  const { workflowId = '' } = useParams();
  const query = useApi('GET /api/admin/workflows/{workflowId}', { params: { workflowId } });
  const [rolledBack, setRolledBack] = useState<RolledBack | null>(null);
  const isMissing = query.error instanceof Problem && query.error.status === 404;
  return (
    <SpaceBetween size="m">
      {rolledBack !== null && <RollbackNotice answer={rolledBack} onDismiss={() => setRolledBack(null)} />}
      <Loaded query={query} heading={`Workflow ${workflowId}`}>
        {(shown) => <Workflow shown={shown} onRolledBack={setRolledBack} />}
      </Loaded>
      {isMissing && <Removed workflowId={workflowId} onRolledBack={setRolledBack} />}
    </SpaceBetween>
  );
};

/** The way back, if the workflow once existed. */
const Removed = ({ workflowId, onRolledBack }: Omit<VersionsTabProps, 'current'>): ReactNode => {
  const { data } = useApi('GET /api/admin/workflows/{workflowId}/versions', {
    params: { workflowId },
    query: { limit: 1 },
  });
  if (data === undefined || data.versions.length === 0) return null;
  return (
    <SpaceBetween size="m">
      <Header variant="h2">Versions</Header>
      <Alert type="info">
        The workflow was removed. Its versions are kept: rolling back to one restores it.
      </Alert>
      <VersionsTab workflowId={workflowId} current={null} onRolledBack={onRolledBack} />
    </SpaceBetween>
  );
};

interface RollbackNoticeProps {
  readonly answer: RolledBack;
  readonly onDismiss: () => void;
}

const RollbackNotice = ({ answer, onDismiss }: RollbackNoticeProps): ReactNode => (
  <Outcome dismissible onDismiss={onDismiss}>
    {answer.changed
      ? `It is stored as version ${answer.version}, which is current now.`
      : `Version ${answer.version}, which is current, is the same: nothing was stored.`}
    {answer.warnings.map(({ pointer, detail }) => (
      <div key={`${pointer} ${detail}`} className="any-length">
        {pointer}: <MarkedText text={detail} />
      </div>
    ))}
  </Outcome>
);

interface WorkflowProps extends Pick<VersionsTabProps, 'onRolledBack'> {
  readonly shown: Shown;
}

const Workflow = ({ shown, onRolledBack }: WorkflowProps): ReactNode => {
  const [tab, setTab] = useAddressState('tab');
  const { id, version, updatedAt, triggers } = shown;
  const definition = toDefinition(shown.definition);
  const { name, description, tags = [], enabled } = definition;
  return (
    <ContentLayout
      header={
        <SpaceBetween size="xs">
          <Header
            variant="h1"
            description={
              <span className="any-length few-lines" title={description}>
                {description}
              </span>
            }
            actions={
              <WorkflowActions
                workflowId={id}
                version={version}
                definition={definition}
                triggers={triggers}
              />
            }
          >
            <span className="any-length few-lines" title={name}>
              {name}
            </span>
          </Header>
          {shown.atLimit !== undefined && (
            <Alert type="warning" header="Its triggers are held">
              Its executions of this month have cost {formatDollars(shown.atLimit.dollars)}, which reaches its
              maxCostPerMonth of {formatDollars(shown.atLimit.limit)}. What comes in is stored, and runs from{' '}
              <Time at={shown.atLimit.until} /> on, or once the limit is raised or removed.
            </Alert>
          )}
          <div className="field-head any-length">
            <StatusIndicator type={enabled ? 'success' : 'stopped'}>
              {enabled ? 'Enabled' : 'Disabled'}
            </StatusIndicator>
            <Box variant="code">{id}</Box>
            <Box display="inline">
              Version {version}, stored <Time at={updatedAt} />
            </Box>
            <AppLink to={withQuery('/state', { workflowId: id })}>State</AppLink>
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </div>
          <Silences of={shown.silences ?? []} />
        </SpaceBetween>
      }
    >
      <Tabs
        ariaLabel="Parts of the workflow"
        activeTabId={tab || 'graph'}
        onChange={({ detail }) => setTab(detail.activeTabId === 'graph' ? '' : detail.activeTabId)}
        tabs={[
          { id: 'graph', label: 'Graph', content: <GraphTab workflowId={id} definition={definition} /> },
          {
            id: 'triggers',
            label: 'Triggers',
            content: <TriggersTab triggers={triggers} definition={definition} />,
          },
          {
            id: 'versions',
            label: 'Versions',
            content: <VersionsTab workflowId={id} current={version} onRolledBack={onRolledBack} />,
          },
          { id: 'executions', label: 'Executions', content: <ExecutionsTab workflowId={id} /> },
          {
            id: 'definition',
            label: 'Definition',
            content: <JsonView label={`Definition of ${id}`} value={shown.definition} />,
          },
        ]}
      />
    </ContentLayout>
  );
};

export default WorkflowView;
