import ExpandableSection from '@cloudscape-design/components/expandable-section';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';

/** Counts, runtime and errors of loading, for a report of a fault. */
export const DebugInfo = (): ReactNode => {
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
