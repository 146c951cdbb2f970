import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { JsonObject } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Answer } from '../../api/routes.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Panel } from '../../parts/panel.tsx';

const ParametersForm = lazy(() => import('../../parts/schema-form/parameters-form.tsx'));

type Shown = Answer<'GET /api/admin/node-types/{nodeType}'>;

/** A form for the parameters of a node type, with the node that it makes, to be copied into a workflow file. */
export const TryParameters = ({ shown }: { readonly shown: Shown }): ReactNode => {
  const { nodeType, kind, schema, example, literalParameters = [] } = shown;
  const [parameters, setParameters] = useState<JsonObject | null>(null);
  const begin = () => setParameters((example?.parameters ?? {}) as JsonObject);
  const node = { id: nodeType, type: nodeType, parameters: parameters ?? {} };
  return (
    <Panel
      title="Try the parameters"
      id="try-parameters"
      description="Fill in the form, and copy the node into a workflow file. Nothing is stored or run."
    >
      {parameters === null ? (
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={begin}>Begin with the example</Button>
          <Button onClick={() => setParameters({})}>Begin empty</Button>
        </SpaceBetween>
      ) : (
        <SpaceBetween size="l">
          <Suspense fallback={<StatusIndicator type="loading">Loading</StatusIndicator>}>
            <ParametersForm
              schema={schema}
              value={parameters}
              onChange={setParameters}
              allowsExpressions={kind === 'action'}
              literals={literalParameters}
              sample={(example?.input as JsonObject | undefined) ?? null}
            />
          </Suspense>
          <div>
            <Box variant="h3">The node</Box>
            <JsonView label={`The node with these parameters`} value={node} />
          </div>
          <CopyToClipboard
            copyButtonText="Copy the node"
            textToCopy={JSON.stringify(node, null, 2)}
            copySuccessText="Copied"
            copyErrorText="The browser did not allow to copy."
          />
        </SpaceBetween>
      )}
    </Panel>
  );
};
