import Alert from '@cloudscape-design/components/alert';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';

interface ProviderStateProps {
  readonly shown: Pick<
    Answer<'GET /api/admin/node-types/{nodeType}'>,
    'plugin' | 'enabled' | 'error' | 'warnings'
  >;
}

/** Why what a plugin offers can't be used now, and what it warns of; nothing if all is well. */
export const ProviderState = ({ shown }: ProviderStateProps): ReactNode => {
  const { plugin, enabled, error, warnings } = shown;
  const link = <IdLink of="plugins" id={plugin} />;
  return (
    <>
      {error !== undefined && (
        <Alert type="error" header={<>The plugin {link} could not be loaded</>}>
          <MarkedText text={error} />
        </Alert>
      )}
      {!enabled && error === undefined && (
        <Alert type="warning" header={<>The plugin {link} is disabled</>}>
          Nodes of this type fail.
        </Alert>
      )}
      {warnings.map((warning) => (
        <Alert key={warning} type="warning">
          <MarkedText text={warning} />
        </Alert>
      ))}
    </>
  );
};
