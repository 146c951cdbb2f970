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

/** Unhealthy plugins and credentials, and silent workflows; asked for once, since the report reads all workflows. */
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

const isBad = ({ status }: { readonly status: string }): boolean =>
  status === 'warning' || status === 'unhealthy';

const Problems = ({ report }: { readonly report: Report }): ReactNode => {
  const { plugins, checks, silences = [], expiries = [], summary } = report;
  const credentials = new Map(
    Object.values(plugins)
      .flatMap((plugin) => Object.entries(plugin.credentials ?? {}))
      .filter(([, credential]) => isBad(credential)),
  );
  const problems = [
    ...(checks === undefined ? [] : [{ kind: 'Store', id: '', ...checks.store }]),
    ...Object.entries(checks?.functions ?? {}).map(([id, check]) => ({ kind: 'Function', id, ...check })),
    ...Object.entries(plugins).map(([id, { status, message }]) => ({ kind: 'Plugin', id, status, message })),
    ...[...credentials].map(([id, { status, message }]) => ({ kind: 'Credential', id, status, message })),
    ...expiries.map(({ kind, id, message }) => ({
      ...(kind === 'variable' ? { kind: 'Variable', id } : { kind: 'Credential', id }),
      ...{ status: 'warning', message },
    })),
    ...silences.map(({ workflowId: id, message }) => ({ kind: 'Workflow', id, status: 'warning', message })),
  ].filter(isBad);
  if (problems.length === 0)
    return (
      <StatusIndicator type="success">
        All {summary.total - summary.disabled} enabled plugins and their credentials are healthy
      </StatusIndicator>
    );
  return (
    <ul className="fields">
      {problems.map(({ kind, id, status, message = '' }) => (
        <li key={`${kind} ${id} ${message}`}>
          <StatusIndicator type={status === 'warning' ? 'warning' : 'error'}>
            {kind} {LISTS[kind] === undefined ? id : <IdLink of={LISTS[kind]} id={id} />}
          </StatusIndicator>
          <Box variant="small" color="text-body-secondary" display="block">
            <MarkedText text={message.slice(0, 300)} />
          </Box>
          {kind === 'Credential' && asksForSignIn(message) && <SignInLink credentialId={id} />}
        </li>
      ))}
    </ul>
  );
};

/** Where one goes from what has a view of its own. */
const LISTS: Readonly<Record<string, string>> = {
  Plugin: 'plugins',
  Credential: 'credentials',
  Workflow: 'workflows',
};
