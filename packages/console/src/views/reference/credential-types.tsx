import type { ReactNode } from 'react';
import { useApiPages } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { TypeTable } from './type-table.tsx';

const CredentialTypes = (): ReactNode => {
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

export default CredentialTypes;
