import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SCHEDULED_TRIGGERS } from '../../../../../lib/triggers/schedule/schedule.ts';
import { callApi } from '../../api/api.ts';
import type { Answer } from '../../api/routes.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { type Definition, findNode } from './definition.ts';
import { WebhookAddress } from './webhook-address.tsx';

type Trigger = Answer<'GET /api/admin/workflows/{workflowId}'>['triggers'][number];

interface TriggersTabProps {
  readonly triggers: readonly Trigger[];
  readonly definition: Definition;
}

/** What starts the workflow: addresses, and the next times of schedules. */
export const TriggersTab = ({ triggers, definition }: TriggersTabProps): ReactNode => (
  <SpaceBetween size="l">
    {!definition.enabled && (
      <StatusIndicator type="stopped">The workflow is disabled: nothing starts it.</StatusIndicator>
    )}
    {triggers.length === 0 && <Box>All its triggers are disabled.</Box>}
    {triggers.map(({ nodeId, type, addresses = [] }) => {
      const node = findNode(definition, nodeId) ?? { id: nodeId, type };
      return (
        <Panel
          title={
            <span className="any-length few-lines" title={node.name ?? nodeId}>
              {node.name ?? nodeId}
            </span>
          }
          key={nodeId}
          description={<IdLink of="node-types" id={type} />}
        >
          <SpaceBetween size="m">
            {addresses.map((address) => (
              <WebhookAddress key={`${address.method} ${address.url}`} address={address} node={node} />
            ))}
            {SCHEDULED_TRIGGERS.includes(type) && <NextTimes definition={definition} nodeId={nodeId} />}
            {node.parameters !== undefined && (
              <div>
                <Box variant="awsui-key-label">Parameters</Box>
                <JsonView label={`Parameters of ${nodeId}`} value={node.parameters} />
              </div>
            )}
          </SpaceBetween>
        </Panel>
      );
    })}
  </SpaceBetween>
);

/** The check of the definition says when its schedules fire; it stores nothing. */
const NextTimes = ({
  definition,
  nodeId,
}: {
  readonly definition: Definition;
  readonly nodeId: string;
}): ReactNode => {
  const query = useQuery({
    queryKey: ['times', definition],
    queryFn: ({ signal }) =>
      callApi('POST /api/admin/workflows/validate', { body: { workflows: [{ definition }] }, signal }),
    staleTime: 60_000,
  });
  return (
    <Loaded query={query}>
      {({ workflows }) => {
        const times = workflows[0]?.times.find(({ triggerNodeId }) => triggerNodeId === nodeId)?.times ?? [];
        return (
          <div>
            <Box variant="awsui-key-label">
              {definition.enabled ? 'Fires next' : 'Would fire next if the workflow were enabled'}
            </Box>
            {times.length === 0 && <Box>Not again.</Box>}
            <ul>
              {times.map((time) => (
                <li key={time}>
                  <Time at={time} />
                </li>
              ))}
            </ul>
          </div>
        );
      }}
    </Loaded>
  );
};
