import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { NameList } from '../../parts/name-list.tsx';
import { HeadedPage } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Time } from '../../parts/time.tsx';
import { HealthStatus } from './health-status.tsx';
import { PluginCredentials } from './plugin-credentials.tsx';
import type { PluginHealth } from './plugin-rows.ts';
import { useSwitchPlugin } from './switch-plugin.tsx';

type Shown = Answer<'GET /api/admin/plugins/{id}'>;

/** One plugin: its state, what it offers, and the switch. */
const Plugin = (): ReactNode => {
  const { pluginId = '' } = useParams();
  const query = useApi('GET /api/admin/plugins/{id}', { params: { id: pluginId } });
  return (
    <Loaded query={query} heading={`Plugin ${pluginId}`}>
      {(shown) => <Details shown={shown} />}
    </Loaded>
  );
};

const Details = ({ shown }: { readonly shown: Shown }): ReactNode => {
  const { id, name, description, error, warnings } = shown;
  const disabledPlugins = useApi('GET /api/admin/plugins/disabled');
  const disabled = disabledPlugins.data?.plugins.find((plugin) => plugin.id === id) ?? null;
  const report = useApi('GET /api/admin/plugins/health'); // the same as in the list
  const health = report.data?.plugins[id];
  const { button, result } = useSwitchPlugin({
    id,
    isDisabled: disabled !== null,
    isLeftOut: shown.status === 'disabled' && disabled === null,
  });
  return (
    <HeadedPage title={name || id} description={description} actions={button}>
      {result}
      {disabled !== null && (
        <Alert type="warning" header="Disabled on this stage">
          Since <Time at={disabled.disabledAt} />
          {disabled.disabledBy !== null && `, by ${disabled.disabledBy}`}
          {disabled.message !== null && <div className="any-text">{disabled.message}</div>}
        </Alert>
      )}
      {error !== undefined && (
        <Alert type="error" header="It could not be loaded">
          <div className="any-text">{error}</div>
        </Alert>
      )}
      {warnings.map((warning) => (
        <Alert key={warning} type="warning">
          <MarkedText text={warning} />
        </Alert>
      ))}
      {report.error !== null && <ProblemAlert error={report.error} onRetry={report.refetch} />}
      <Panel title="Overview">
        <Facts columns={3} facts={describePlugin(shown, health)} />
      </Panel>
      {health?.runs !== undefined && Object.keys(health.runs).length > 0 && <Runs runs={health.runs} />}
      {health?.credentials !== undefined && Object.keys(health.credentials).length > 0 && (
        <PluginCredentials credentials={health.credentials} />
      )}
    </HeadedPage>
  );
};

const describePlugin = (shown: Shown, health: PluginHealth | undefined) => {
  const { id, version, api, category, status, nodeTypes, credentialTypes, dependencies } = shown;
  return {
    Id: <Box variant="code">{id}</Box>,
    Health: <HealthStatus status={health?.status ?? 'unknown'} message={health?.message} />,
    State: status,
    Version: version || 'Not known',
    API: api,
    Category: category || 'None',
    'Node types': <NameList names={nodeTypes.map(({ nodeType }) => nodeType)} path="/node-types" />,
    'Credential types': credentialTypes.length > 0 && (
      <NameList names={credentialTypes.map((type) => type.id)} path="/credential-types" />
    ),
    Needs: dependencies.length > 0 && (
      <NameList names={dependencies.map(({ pluginId }) => pluginId)} path="/plugins" />
    ),
    Used:
      health?.configured !== undefined &&
      (health.configured ? 'By enabled workflows' : 'By no enabled workflow'),
  };
};

const PERCENT = { style: 'percent', maximumFractionDigits: 1 } as const;

const Runs = ({ runs }: { readonly runs: NonNullable<PluginHealth['runs']> }): ReactNode => (
  <Panel title="Node runs" description="In executions that started in the last day.">
    <Facts
      columns={4}
      facts={Object.fromEntries(
        Object.entries(runs).map(([nodeType, { runs: count, failed, share }]) => [
          nodeType,
          `${count.toLocaleString()}, ${failed.toLocaleString()} failed (${share.toLocaleString(undefined, PERCENT)})`,
        ]),
      )}
    />
  </Panel>
);

export default Plugin;
