import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';

const SHOWN = 5;

/** Which executions wait for a person. */
export const Waiting = (): ReactNode => {
  const query = useApi('GET /api/admin/approvals', { query: { limit: SHOWN } }, { everyMs: 10_000 });
  return (
    <Panel
      title="Waiting for a person"
      fitHeight
      description="Pending approvals, those that expire first"
      actions={<AppLink to="/approvals">All approvals</AppLink>}
    >
      <Loaded query={query} what="approvals">
        {({ approvals, nextCursor }) =>
          approvals.length === 0 ? (
            <Box color="text-body-secondary">Nothing waits for a person.</Box>
          ) : (
            <>
              <ul className="fields">
                {approvals.map(({ executionId, nodeId, title, workflowId, askedBy, until }) => (
                  <li key={`${executionId} ${nodeId}`}>
                    <IdLink of="executions" id={executionId}>
                      {(title ?? `${workflowId}, node ${nodeId}`).slice(0, 200)}
                    </IdLink>
                    <Box variant="small" color="text-body-secondary" display="block">
                      {workflowId}
                      {askedBy !== null && `, asked by ${askedBy.slice(0, 100)}`}, until <Time at={until} />
                    </Box>
                  </li>
                ))}
              </ul>
              {nextCursor !== null && <AppLink to="/approvals">There are more</AppLink>}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
};
