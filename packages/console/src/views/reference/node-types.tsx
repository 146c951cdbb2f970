import type { ReactNode } from 'react';
import { useApiPages } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { TypeTable } from './type-table.tsx';

const NodeTypes = (): ReactNode => {
  const [text] = useAddressState('text');
  const [kind] = useAddressState('kind');
  const [plugin] = useAddressState('plugin');
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage } = useApiPages(
    'GET /api/admin/node-types',
    { query: { text, kind, plugin, limit: 100 } },
  );
  return (
    <>
      {error !== null && <ProblemAlert error={error} onRetry={refetch} />}
      <TypeTable
        path="/node-types"
        title="Node types"
        actions={<AppLink to="/credential-types">Credential types</AppLink>}
        types={(data ?? []).flatMap(({ nodeTypes }) =>
          nodeTypes.map(({ nodeType, ...type }) => ({ id: nodeType, ...type })),
        )}
        onMore={hasNextPage ? fetchNextPage : null}
        isLoading={data === undefined && isFetching}
      />
    </>
  );
};

export default NodeTypes;
