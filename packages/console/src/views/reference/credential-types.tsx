import type { ReactNode } from 'react';
import { useApiPages } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { TypeTable } from './type-table.tsx';

const CredentialTypes = (): ReactNode => {
  const [text] = useAddressState('text');
  const [plugin] = useAddressState('plugin');
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage } = useApiPages(
    'GET /api/admin/credential-types',
    { query: { text, plugin, limit: 100 } },
  );
  return (
    <>
      {error !== null && <ProblemAlert error={error} onRetry={refetch} />}
      <TypeTable
        path="/credential-types"
        title="Credential types"
        actions={<AppLink to="/node-types">Node types</AppLink>}
        types={(data ?? []).flatMap(({ credentialTypes }) => credentialTypes)}
        onMore={hasNextPage ? fetchNextPage : null}
        isLoading={data === undefined && isFetching}
      />
    </>
  );
};

export default CredentialTypes;
