import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { HeadedPage } from '../../parts/page.tsx';
import { readOnly, settings } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { HealthReport } from './health-report.tsx';
import { HealthStatus } from './health-status.tsx';
import { type PluginRow, toPluginRows } from './plugin-rows.ts';

/** Whether the service and its plugins work, and what they offer. */
const Plugins = (): ReactNode => {
  const [tests, setTests] = useAddressState('tests');
  const list = useApi('GET /api/admin/plugins');
  const isLive = tests === 'live' && !settings.isReadOnly;
  const report = useApi(isLive ? 'POST /api/admin/plugins/health/live' : 'GET /api/admin/plugins/health');
  const disabled = useApi('GET /api/admin/plugins/disabled');
  const refresh = () => {
    void list.refetch();
    void report.refetch();
    void disabled.refetch();
  };
  return (
    <HeadedPage
      title="Plugins and health"
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button iconName="refresh" ariaLabel="Check again" loading={report.isFetching} onClick={refresh} />
          <Button {...readOnly} onClick={() => setTests(isLive ? '' : 'live')}>
            {isLive ? 'Without live tests' : 'Test credentials'}
          </Button>
        </SpaceBetween>
      }
    >
      <Loaded query={report} what="health">
        {(found) => <HealthReport report={found} />}
      </Loaded>
      {disabled.error !== null && <ProblemAlert error={disabled.error} onRetry={disabled.refetch} />}
      <Loaded query={list} what="plugins">
        {({ plugins }) => (
          <PluginTable rows={toPluginRows(plugins, report.data ?? null, disabled.data?.plugins ?? [])} />
        )}
      </Loaded>
      <DebugInfo />
    </HeadedPage>
  );
};

/** What a narrow page has below the name. */
const COLUMNS: Columns<PluginRow> = [
  {
    header: 'Health',
    width: 260,
    cell: (row) => (
      <>
        <HealthStatus status={row.status} message={row.message} />
        <SignIns row={row} />
      </>
    ),
  },
  { header: 'Offers', width: 200, cell: (row) => <Offers row={row} /> },
  { header: 'API and version', width: 150, cell: ({ api, version }) => `${api} ${version}`.trim() },
];

const PluginTable = ({ rows }: { readonly rows: readonly PluginRow[] }): ReactNode => {
  const [text, setText] = useAddressState('text');
  const isNarrow = useIsNarrow();
  const wanted = text.toLowerCase();
  const shown = rows.filter(({ id, name, description, nodeTypes }) =>
    [id, name, description, ...nodeTypes].some((value) => value.toLowerCase().includes(wanted)),
  );
  return (
    <Rows
      label="Plugins"
      header={
        <Header variant="h2" counter={`(${shown.length})`} description="Those that need attention are first.">
          Plugins
        </Header>
      }
      filter={
        <TextFilter
          filteringText={text}
          filteringAriaLabel="Find plugins"
          filteringPlaceholder="Find by name, description or node type"
          countText={text === '' ? '' : `${shown.length} found`}
          onChange={({ detail }) => setText(detail.filteringText)}
        />
      }
      items={shown}
      trackBy="id"
      empty="None matches. Change the filter to see more."
      columns={[
        {
          header: 'Plugin',
          isRowHeader: true,
          cell: (row) => (
            <>
              <IdLink of="plugins" id={row.id}>
                {row.name || row.id}
              </IdLink>
              <div className="any-text">{row.description}</div>
              {isNarrow && (
                <>
                  <HealthStatus status={row.status} message={row.message} />
                  <SignIns row={row} />
                  <Offers row={row} />
                </>
              )}
            </>
          ),
        },
        ...(isNarrow ? [] : COLUMNS),
      ]}
    />
  );
};

/** Links to the sign-ins of its credentials that need one. */
const SignIns = ({ row: { health } }: { readonly row: PluginRow }): ReactNode =>
  Object.entries(health?.credentials ?? {})
    .filter(([, { message }]) => asksForSignIn(message))
    .map(([id]) => (
      <div key={id} className="any-text">
        <SignInLink credentialId={id}>Sign in again: {id}</SignInLink>
      </div>
    ));

const Offers = ({ row: { id, nodeTypes } }: { readonly row: PluginRow }): ReactNode => {
  if (nodeTypes.length === 0) return <Box color="text-body-secondary">No node types</Box>;
  const text = nodeTypes.length === 1 ? '1 node type' : `${nodeTypes.length} node types`;
  return <AppLink to={`/node-types?plugin=${encodeURIComponent(id)}`}>{text}</AppLink>;
};

/** Counts, runtime and errors of loading, for a report of a fault. */
const DebugInfo = (): ReactNode => {
  const [debug, setDebug] = useAddressState('debug');
  const isOpen = debug === 'open';
  const query = useApi('GET /api/admin/debug', {}, { isOn: isOpen });
  return (
    <ExpandableSection
      headerText="Debug information"
      headerDescription="Version, runtime, and errors of loading, as JSON."
      variant="container"
      expanded={isOpen}
      onChange={({ detail }) => setDebug(detail.expanded ? 'open' : '')}
    >
      {isOpen && (
        <Loaded query={query} what="debug information">
          {(value) => <JsonView label="Debug information" value={value} />}
        </Loaded>
      )}
    </ExpandableSection>
  );
};

export default Plugins;
