import ColumnLayout from '@cloudscape-design/components/column-layout';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { HeadedPage } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { Failures } from './failures.tsx';
import { Health } from './health.tsx';
import { HourBars } from './hour-bars.tsx';
import { OpenNotices } from './notices.tsx';
import { toHours } from './outcomes.ts';
import { Waiting } from './waiting.tsx';
import { WorkflowStates } from './workflow-states.tsx';

/** The first view: open notices, outcomes, failures by cause, pending approvals, unhealthy plugins and credentials. */
const Overview = (): ReactNode => (
  <HeadedPage title="Overview">
    <OpenNotices />
    <LastDay />
    <ColumnLayout columns={2} minColumnWidth={340}>
      <Failures />
      <Waiting />
      <Health />
      <WorkflowStates />
    </ColumnLayout>
  </HeadedPage>
);

const LastDay = (): ReactNode => {
  const query = useApi('GET /api/admin/statistics', {}, { everyMs: 30_000 });
  return (
    <Loaded query={query} what="the last day">
      {(statistics) => {
        const { from, timestamp, total } = statistics;
        const hours = toHours(statistics);
        const refused = Object.values(total.refused).reduce((sum, count) => sum + count, 0);
        return (
          <Panel
            title="The last day"
            description={
              <>
                From <Time at={from} /> to <Time at={timestamp} />, by hour; executions count when they end
              </>
            }
            actions={<AppLink to="/executions?last=1-day">All executions</AppLink>}
          >
            <SpaceBetween size="l">
              <ColumnLayout columns={3} minColumnWidth={220}>
                <HourBars label="Succeeded" hours={hours} outcome="succeeded" />
                <HourBars label="Failed or timed out" hours={hours} outcome="failed" />
                <HourBars label="Cancelled" hours={hours} outcome="cancelled" />
              </ColumnLayout>
              <Facts
                columns={4}
                minColumnWidth={140}
                facts={{
                  Started: total.started.toLocaleString(),
                  'Refused requests on record':
                    refused === 0 ? '0' : <AppLink to="/requests">{refused.toLocaleString()}</AppLink>,
                  'Half took at most': formatDuration(total.durationMs.p50),
                  '95 % took at most': formatDuration(total.durationMs.p95),
                }}
              />
            </SpaceBetween>
          </Panel>
        );
      }}
    </Loaded>
  );
};

export default Overview;
