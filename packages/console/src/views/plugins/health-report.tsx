import Alert from '@cloudscape-design/components/alert';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { HealthStatus } from './health-status.tsx';

type Report = Answer<'GET /api/admin/plugins/health'>;

/** What the service found out about itself. */
export const HealthReport = ({ report }: { readonly report: Report }): ReactNode => {
  const stored = useApi('GET /api/admin/stored-data').data;
  const { status, checks, coverage, summary, generatedAt } = report;
  const functions = Object.entries(checks?.functions ?? {});
  const failing = functions.filter(([, check]) => check.status !== 'healthy');
  return (
    <Panel
      title="Health"
      description={
        <>
          Checked <Time at={generatedAt} />
        </>
      }
    >
      <SpaceBetween size="m">
        {stored?.problem && (
          <Alert type="error" header={stored.problem.problem}>
            {stored.problem.remedy}
          </Alert>
        )}
        <Facts
          columns={4}
          facts={{
            Service: <HealthStatus status={status} />,
            Plugins: describeSummary(summary),
            Tables: checks && <HealthStatus {...checks.store} />,
            Functions:
              checks &&
              (failing.length === 0 ? (
                <HealthStatus status="healthy" message={`All ${functions.length} answer`} />
              ) : (
                failing.map(([name, { status: failed, message }]) => (
                  <HealthStatus key={name} status={failed} message={`${name}: ${message ?? ''}`} />
                ))
              )),
            'Read for this report': coverage && describeCoverage(coverage),
            'Executions that wait to start': stored?.accepted.count.toLocaleString(),
          }}
        />
      </SpaceBetween>
    </Panel>
  );
};

const describeSummary = ({ total, ...counts }: Report['summary']): string => {
  const parts = (['unhealthy', 'warning', 'disabled', 'healthy'] as const).flatMap((status) =>
    counts[status] === 0 ? [] : [`${counts[status].toLocaleString()} ${status}`],
  );
  return parts.length === 0 ? total.toLocaleString() : `${total.toLocaleString()}: ${parts.join(', ')}`;
};

const describeCoverage = (coverage: NonNullable<Report['coverage']>): string =>
  (['workflows', 'credentials', 'executions'] as const)
    .map((name) => {
      const { read, complete } = coverage[name];
      return complete ? `${read.toLocaleString()} ${name}` : `the last ${read.toLocaleString()} ${name}`;
    })
    .join(', ');
