import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';

const SHOWN = 5;

type Notice = Answer<'GET /api/admin/notices'>['notices'][number];

/** The lists of what notices are about, by the word before the colon of their subject. */
const LISTS: Readonly<Record<string, string>> = {
  workflow: 'workflows',
  credential: 'credentials',
  variable: 'variables',
};

/** What is wrong now; absent while nothing is. */
export const OpenNotices = (): ReactNode => {
  const { data } = useApi('GET /api/admin/notices', {}, { everyMs: 30_000 });
  if (data === undefined || data.notices.length === 0) return null;
  const { notices, more } = data;
  const rest = notices.length - SHOWN + more;
  return (
    <Panel title="Open notices" description="What is wrong now, by cause">
      <ul className="fields">
        {notices.slice(0, SHOWN).map((notice) => (
          <li key={`${notice.kind} ${notice.subject} ${notice.cause}`}>
            <OpenNotice notice={notice} />
          </li>
        ))}
      </ul>
      {rest > 0 && <Box color="text-body-secondary">and {rest} more: hookloom notice list</Box>}
    </Panel>
  );
};

const OpenNotice = ({ notice }: { readonly notice: Notice }): ReactNode => {
  const { kind, subject, nodeId, message, count, firstAt, lastAt, executionId } = notice;
  const at = subject.indexOf(':');
  const id = subject.slice(at + 1);
  const list = LISTS[subject.slice(0, at)];
  return (
    <>
      <div className="field-head">
        <StatusIndicator type={kind === 'failure' ? 'error' : 'warning'}>
          {kind} {count > 1 && `${count} ×`}
        </StatusIndicator>
        <span>
          {list === undefined ? subject : <IdLink of={list} id={id} ariaLabel={`Notice: ${subject}`} />}
          {nodeId !== null && `, node ${nodeId}`}
        </span>
        {executionId !== null && (
          <IdLink of="executions" id={executionId} ariaLabel={`The last execution: ${subject}, ${message}`}>
            Last execution
          </IdLink>
        )}
      </div>
      <Box variant="small" color="text-body-secondary" display="block">
        {message.slice(0, 300)}, since <Time at={firstAt} />
        {lastAt !== firstAt && (
          <>
            , last at <Time at={lastAt} />
          </>
        )}
      </Box>
    </>
  );
};
