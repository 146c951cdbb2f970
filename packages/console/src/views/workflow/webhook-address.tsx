import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import type { ReactNode } from 'react';
import { type DefinitionNode, toCurl } from './definition.ts';

interface WebhookAddressProps {
  readonly address: { readonly method: string; readonly url: string };
  /** The trigger. */
  readonly node: Pick<DefinitionNode, 'parameters'>;
}

/** Where a webhook is called, to be copied: the address alone, or as a command. */
export const WebhookAddress = ({ address, node }: WebhookAddressProps): ReactNode => (
  <div className="field-head any-length">
    <Box variant="code">
      <b>{address.method}</b> {address.url}
    </Box>
    <CopyToClipboard
      variant="icon"
      copyButtonAriaLabel={`Copy the address: ${address.method} ${address.url}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow copying."
      textToCopy={address.url}
    />
    <CopyToClipboard
      variant="button"
      copyButtonText="Copy as curl"
      copyButtonAriaLabel={`Copy as curl: ${address.method} ${address.url}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow copying."
      textToCopy={toCurl(address, node)}
    />
  </div>
);
