import type { ReactNode } from 'react';
import { useApiPages } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { TypeTable } from './type-table.tsx';

const NodeTypes = (): ReactNode => {
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

export default NodeTypes;
