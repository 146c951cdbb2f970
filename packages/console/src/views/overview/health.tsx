import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { Panel } from '../../parts/panel.tsx';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { Time } from '../../parts/time.tsx';

type Report = Answer<'GET /api/admin/plugins/health'>;

const BAD = new Set<string>(['warning', 'unhealthy']);

const typeOf = (status: string) => (status === 'warning' ? 'warning' : 'error');

/** Unhealthy plugins and credentials; asked for once, since the report reads all workflows. */
export const Health = (): ReactNode => {
  const query = useApi('GET /api/admin/plugins/health');
  return (
    <Panel
      title="Health"
      fitHeight
      description={
        query.data === undefined ? undefined : (
          <>
            As of <Time at={query.data.generatedAt} />, without live tests
          </>
        )
      }
      actions={<AppLink to="/plugins">Plugins and health</AppLink>}
    >
      <Loaded query={query} what="health">
        {(report) => <Problems report={report} />}
      </Loaded>
    </Panel>
  );
};

const Problems = ({ report: { plugins, checks, summary } }: { readonly report: Report }): ReactNode => {
  const credentials = new Map(
    Object.values(plugins)
      .flatMap((plugin) => Object.entries(plugin.credentials ?? {}))
      .filter(([, { status }]) => BAD.has(status)),
  );
  const bad = Object.entries(plugins).filter(([, { status }]) => BAD.has(status));
  const functions = Object.entries(checks?.functions ?? {}).filter(
    ([, { status }]) => status === 'unhealthy',
  );
  if (bad.length + credentials.size + functions.length === 0 && checks?.store.status !== 'unhealthy')
    return (
      <StatusIndicator type="success">
        All {summary.total - summary.disabled} enabled plugins and their credentials are healthy
      </StatusIndicator>
    );
  return (
    <ul className="fields">
      {checks?.store.status === 'unhealthy' && (
        <li>
          <StatusIndicator type="error">Store</StatusIndicator>
          <Message text={checks.store.message} />
        </li>
      )}
      {functions.map(([name, { message }]) => (
        <li key={name}>
          <StatusIndicator type="error">Function {name}</StatusIndicator>
          <Message text={message} />
        </li>
      ))}
      {bad.map(([id, { status, message }]) => (
        <li key={id}>
          <StatusIndicator type={typeOf(status)}>
            Plugin <IdLink of="plugins" id={id} />
          </StatusIndicator>
          <Message text={message} />
        </li>
      ))}
      {[...credentials].map(([id, { status, message }]) => (
        <li key={id}>
          <StatusIndicator type={typeOf(status)}>
            Credential <IdLink of="credentials" id={id} />
          </StatusIndicator>
          <Message text={message} />
          {asksForSignIn(message) && <SignInLink credentialId={id} />}
        </li>
      ))}
    </ul>
  );
};

const Message = ({ text = '' }: { readonly text?: string | undefined }): ReactNode => (
  <Box variant="small" color="text-body-secondary" display="block">
    <MarkedText text={text.slice(0, 300)} />
  </Box>
);
