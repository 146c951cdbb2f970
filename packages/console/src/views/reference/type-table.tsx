import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi, useApiPages } from '../../api/use-api.ts';
import { useAddressState, useAddressStates } from '../../parts/address-state.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Choice } from '../../parts/form-fields.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';

type CredentialType = Answer<'GET /api/admin/credential-types'>['credentialTypes'][number];

interface ListedType
  extends Pick<CredentialType, 'id' | 'name' | 'description' | 'plugin' | 'enabled' | 'error'> {
  /** Only node types have one. */
  readonly kind?: string;
}

interface TypeTableProps {
  /** Of the view, without a trailing slash. */
  readonly path: string;
  readonly title: string;
  readonly actions: ReactNode;
  readonly types: readonly ListedType[];
  /** Those of which `types` are. */
  readonly pages: UseInfiniteQueryResult<unknown, Error>;
}

/** Node types or credential types, with their filters, which are in the address. */
const TypeTable = (props: TypeTableProps): ReactNode => {
  const { path, title, actions, types, pages } = props;
  const isNarrow = useIsNarrow();
  const hasKinds = path === '/node-types';
  return (
    <>
      {pages.error !== null && <ProblemAlert error={pages.error} onRetry={pages.refetch} />}
      <Rows
        label={title}
        variant="full-page"
        header={
          <Header variant="h1" counter={`(${types.length}${pages.hasNextPage ? '+' : ''})`} actions={actions}>
            {title}
          </Header>
        }
        pages={pages}
        counted="shown"
        filter={<Filters hasKinds={hasKinds} title={title} />}
        items={types}
        trackBy="id"
        empty="None matches. Change the filters to see more."
        columns={[
          {
            header: 'Type',
            isRowHeader: true,
            ...(isNarrow ? {} : { width: 220 }),
            cell: (type) => (
              <>
                <AppLink to={`${path}/${encodeURIComponent(type.id)}`}>{type.id}</AppLink>
                <Box variant="small" display="block" color="text-body-secondary">
                  {type.name}
                </Box>
                {isNarrow && <Description type={type} />}
              </>
            ),
          },
          ...(isNarrow ? [] : toDetails(hasKinds)),
        ]}
      />
    </>
  );
};

/** What a narrow page has below the name. */
const toDetails = (hasKinds: boolean): Columns<ListedType> => [
  { header: 'Description', cell: (type) => <Description type={type} /> },
  ...(hasKinds ? [{ header: 'Kind', width: 100, cell: ({ kind }: ListedType) => kind }] : []),
  {
    header: 'Plugin',
    width: 150,
    // A node type often has the name of its plugin.
    cell: ({ plugin }) => <IdLink of="plugins" id={plugin} ariaLabel={`Plugin ${plugin}`} />,
  },
];

const Description = ({ type }: { readonly type: ListedType }): ReactNode => {
  const { description, enabled, error } = type;
  return (
    <>
      <MarkedText text={description} />
      {error !== undefined && <StatusIndicator type="error">Not loaded</StatusIndicator>}
      {!enabled && error === undefined && <StatusIndicator type="stopped">Disabled</StatusIndicator>}
    </>
  );
};

const KINDS = [
  { value: '', label: 'All kinds' },
  { value: 'trigger', label: 'Triggers' },
  { value: 'action', label: 'Actions' },
] as const;

const Filters = ({ hasKinds, title }: { readonly hasKinds: boolean; readonly title: string }): ReactNode => {
  const [text, setText] = useAddressState('text');
  const [kind, setKind] = useAddressState('kind');
  const [plugin, setPlugin] = useAddressState('plugin');
  const plugins = useApi('GET /api/admin/plugins').data?.plugins ?? [];
  // A legacy plugin is listed once for each of its node types.
  const ids = [...new Set([...plugins.map(({ id }) => id), ...(plugin === '' ? [] : [plugin])])].sort();
  return (
    <div className="filters">
      <div className="filter-text">
        <TextFilter
          filteringText={text}
          filteringAriaLabel={`Find ${title.toLowerCase()}`}
          filteringPlaceholder="Find by name or description"
          onChange={({ detail }) => setText(detail.filteringText)}
        />
      </div>
      {hasKinds && (
        <Choice ariaLabel="Kind" options={KINDS} value={kind} otherwise={KINDS[0]} onChange={setKind} />
      )}
      <Choice
        ariaLabel="Plugin"
        options={[{ value: '', label: 'All plugins' }, ...ids]}
        filteringType={ids.length > 10 ? 'auto' : 'none'}
        value={plugin}
        onChange={setPlugin}
      />
    </div>
  );
};

export const NodeTypes = (): ReactNode => {
  const [filters] = useAddressStates(['text', 'kind', 'plugin']);
  const pages = useApiPages('GET /api/admin/node-types', { query: { ...filters, limit: 100 } });
  return (
    <TypeTable
      path="/node-types"
      title="Node types"
      actions={<AppLink to="/credential-types">Credential types</AppLink>}
      types={(pages.data ?? []).flatMap(({ nodeTypes }) =>
        nodeTypes.map(({ nodeType, ...type }) => ({ id: nodeType, ...type })),
      )}
      pages={pages}
    />
  );
};

export const CredentialTypes = (): ReactNode => {
  const [filters] = useAddressStates(['text', 'plugin']);
  const pages = useApiPages('GET /api/admin/credential-types', { query: { ...filters, limit: 100 } });
  return (
    <TypeTable
      path="/credential-types"
      title="Credential types"
      actions={<AppLink to="/node-types">Node types</AppLink>}
      types={(pages.data ?? []).flatMap(({ credentialTypes }) => credentialTypes)}
      pages={pages}
    />
  );
};
